use std::any::Any;
use std::cell::OnceCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use interpreter::{Failure, Panic, PanicKind, RemoteTensor, Value};
use runtime::{Device, DeviceTensor, RuntimeError};
use shared_types::Span;
use tensor::Tensor;

use super::gpu::device_fault;

/// A tensor that stays on the device until the program looks at it.
pub(super) struct Resident {
    device: Arc<DeviceTensor>,
    host: OnceCell<Tensor>,
}

impl Resident {
    pub(super) fn value<'p>(tensor: DeviceTensor) -> Value<'p> {
        Value::Remote(Rc::new(Resident {
            device: Arc::new(tensor),
            host: OnceCell::new(),
        }))
    }
}

impl RemoteTensor for Resident {
    fn fetch(&self, span: Span) -> Result<Tensor, Failure> {
        if let Some(tensor) = self.host.get() {
            return Ok(tensor.clone());
        }
        let tensor = self.device.fetch().map_err(|error| match error {
            RuntimeError::Tensor(error) => Panic::new(span, PanicKind::Memory(error)).into(),
            error => Failure::from(device_fault(span, error)),
        })?;
        Ok(self.host.get_or_init(|| tensor).clone())
    }
}

impl fmt::Debug for Resident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on a device", self.device)
    }
}

/// A value's tensor on the device, where it has one: copied there unless a copy is there already.
pub(super) fn on_device(
    device: &Arc<dyn Device>,
    value: &Value<'_>,
) -> Result<Option<Arc<DeviceTensor>>, RuntimeError> {
    match value {
        Value::Tensor(tensor) => DeviceTensor::mirror_of(device, tensor).map(Some),
        Value::Remote(remote) => {
            let remote: Rc<dyn Any> = remote.clone();
            let resident = remote.downcast::<Resident>().ok();
            Ok(resident.map(|resident| resident.device.clone()))
        }
        Value::Void
        | Value::Scalar(_)
        | Value::Tuple(_)
        | Value::Struct(_)
        | Value::Function(_)
        | Value::String(_)
        | Value::Reference(_) => Ok(None),
    }
}

/// The same to be written: nothing else has its memory. The value is gone.
pub(super) fn moved_to_device(
    device: &Arc<dyn Device>,
    value: Value<'_>,
) -> Result<Option<DeviceTensor>, RuntimeError> {
    let Some(tensor) = on_device(device, &value)? else {
        return Ok(None);
    };
    drop(value);
    Arc::try_unwrap(tensor)
        .or_else(|shared| shared.duplicate())
        .map(Some)
}
