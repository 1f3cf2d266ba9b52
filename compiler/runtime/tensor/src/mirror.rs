use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Tensor;

type Kept = Option<Arc<dyn Any + Send + Sync>>;

/// What is kept elsewhere of a tensor's data; there is room for one.
#[derive(Default)]
pub(crate) struct Mirror(Mutex<Kept>);

impl Mirror {
    pub(crate) fn clear(&mut self) {
        *self.0.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tensor {
    /// Keeps a copy of the elements, such as a device's, until they are written; clones of this
    /// tensor share it as they share the data. It takes the place of another one.
    pub fn set_mirror<T: Any + Send + Sync>(&self, copy: Arc<T>) {
        *self.storage().mirror.kept() = Some(copy);
    }

    /// The copy of the elements that is kept, where there is one and it is a `T`.
    pub fn mirror<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.storage().mirror.kept().clone()?.downcast().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mirror_is_there_until_the_data_is_written() {
        let mut tensor = Tensor::from_slice(&[2], &[1u8, 2]).unwrap();
        let copy = Arc::new("copy");
        tensor.set_mirror(copy.clone());
        let mut clone = tensor.clone();
        assert_eq!(clone.mirror::<&str>().as_deref(), Some(&"copy"));
        assert_eq!(clone.mirror::<String>(), None);
        clone.set(0, 9u8.into()).unwrap();
        assert_eq!(clone.mirror::<&str>(), None, "its data is another");
        assert!(tensor.mirror::<&str>().is_some());
        tensor.bytes_mut().unwrap();
        assert_eq!(tensor.mirror::<&str>(), None);
        assert_eq!(Arc::strong_count(&copy), 1);
    }

    #[test]
    fn a_mirror_is_dropped_with_the_data() {
        let tensor = Tensor::from_slice(&[1], &[1u8]).unwrap();
        let copy = Arc::new(());
        tensor.set_mirror(copy.clone());
        tensor.set_mirror(copy.clone());
        assert_eq!(Arc::strong_count(&copy), 2);
        drop(tensor);
        assert_eq!(Arc::strong_count(&copy), 1);
    }
}
