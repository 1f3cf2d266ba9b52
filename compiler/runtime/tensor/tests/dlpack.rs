//! Sharing, and the exchange with other libraries.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::null_mut;

use shared_types::ScalarType;
use tensor::dlpack::{
    CODE_FLOAT, DEVICE_CPU, DLDataType, DLDevice, DLManagedTensorVersioned, DLPackVersion,
    DLTensor, FLAG_READ_ONLY,
};
use tensor::{DlpackError, Scalar, Tensor, TensorError};

#[test]
fn a_clone_is_cheap_until_it_is_written_to() {
    let first = Tensor::from_slice(&[2], &[1.0f32, 2.0]).unwrap();
    let mut second = first.clone();
    assert_eq!(first.view().data, second.view().data);
    second.as_mut_slice::<f32>().unwrap()[0] = 9.0;
    assert_ne!(first.view().data, second.view().data);
    assert_eq!(first.as_slice::<f32>().unwrap(), [1.0, 2.0]);
    assert_eq!(second.as_slice::<f32>().unwrap(), [9.0, 2.0]);
    let before = second.view().data;
    second.set(1, Scalar::F32(3.0)).unwrap();
    assert_eq!(before, second.view().data, "the sole owner writes in place");
}

#[test]
fn data_is_aligned_even_without_elements() {
    for scalar in ScalarType::ALL {
        for shape in [&[][..], &[0], &[3], &[2, 0, 5]] {
            let tensor = Tensor::zeros(scalar, shape).unwrap();
            let address = tensor.bytes().as_ptr().addr();
            assert!(address != 0 && address.is_multiple_of(64));
            assert_eq!(tensor.shape(), shape);
        }
    }
}

#[test]
fn what_does_not_fit_is_an_error() {
    let huge = Tensor::zeros(ScalarType::F32, &[1 << 33, 1 << 33]);
    assert!(matches!(huge, Err(TensorError::TooLarge { .. })));
    let more_than_any_machine = Tensor::zeros(ScalarType::U8, &[1 << 60]);
    assert!(matches!(
        more_than_any_machine,
        Err(TensorError::OutOfMemory { .. })
    ));
    let tensor = Tensor::from_slice(&[1], &[1u32]).unwrap();
    assert!(tensor.as_slice::<i32>().is_err());
    assert!(tensor.get(1).is_err());
    assert!(Tensor::from_slice(&[2], &[1u32]).is_err());
    assert!(Tensor::from_bytes(ScalarType::F32, &[1], &[0; 3]).is_err());
}

#[test]
fn bits_that_are_no_value_are_refused() {
    assert!(Tensor::from_bytes(ScalarType::Bool, &[1], &[2]).is_err());
    let mut tensor = Tensor::zeros(ScalarType::Char, &[2]).unwrap();
    tensor.bytes_mut().unwrap()[4..].copy_from_slice(&0xd800u32.to_le_bytes());
    let error = TensorError::InvalidElement {
        scalar: ScalarType::Char,
        position: 1,
    };
    assert_eq!(tensor.as_slice::<char>(), Err(error.clone()));
    assert_eq!(tensor.get(1), Err(error));
    assert_eq!(tensor.get(0), Ok(Scalar::Char('\0')));
}

#[test]
fn a_tensor_travels_and_returns() {
    for scalar in ScalarType::ALL {
        let bytes: Vec<u8> = (0..6 * scalar.bytes()).map(|at| (at % 2) as u8).collect();
        let sent = Tensor::from_bytes(scalar, &[2, 1, 3], &bytes);
        // Every second byte set makes no code point.
        let Ok(sent) = sent else {
            assert_eq!(scalar, ScalarType::Char);
            continue;
        };
        let kept = sent.clone();
        let managed = sent.into_dlpack().unwrap();
        // SAFETY: it came from `into_dlpack`, which also wrote what the pointers lead to.
        let received = unsafe {
            let DLTensor {
                ndim,
                dtype,
                shape,
                strides,
                ..
            } = (*managed).dl_tensor;
            assert_eq!((ndim, dtype), (3, DLDataType::of(scalar)));
            assert_eq!(std::slice::from_raw_parts(shape, 3), [2, 1, 3]);
            assert_eq!(std::slice::from_raw_parts(strides, 3), [3, 3, 1]);
            Tensor::from_dlpack(managed, scalar).unwrap()
        };
        assert!(received.same_bits(&kept));
    }
}

/// A tensor as another library would make it, and a count of its deleter's calls.
struct Foreign<'a> {
    deleted: &'a Cell<u32>,
    managed: DLManagedTensorVersioned,
    shape: Vec<i64>,
    strides: Vec<i64>,
    data: Vec<Line>,
}

#[repr(align(64))]
#[derive(Clone)]
struct Line(#[expect(dead_code, reason = "read through a pointer")] [f32; 16]);

unsafe extern "C" fn delete(managed: *mut DLManagedTensorVersioned) {
    // SAFETY: `Foreign::new` stored the box's address there.
    let foreign = unsafe { Box::from_raw((*managed).manager_ctx.cast::<Foreign>()) };
    foreign.deleted.set(foreign.deleted.get() + 1);
}

impl<'a> Foreign<'a> {
    /// Two lines of `f32`, of the shape `[2, 16]`.
    fn new(deleted: &'a Cell<u32>) -> *mut Foreign<'a> {
        let foreign = Box::into_raw(Box::new(Foreign {
            deleted,
            managed: DLManagedTensorVersioned {
                version: DLPackVersion { major: 1, minor: 9 },
                manager_ctx: null_mut(),
                deleter: Some(delete),
                flags: 0,
                dl_tensor: DLTensor {
                    data: null_mut(),
                    device: DLDevice {
                        device_type: DEVICE_CPU,
                        device_id: 0,
                    },
                    ndim: 2,
                    dtype: DLDataType {
                        code: CODE_FLOAT,
                        bits: 32,
                        lanes: 1,
                    },
                    shape: null_mut(),
                    strides: null_mut(),
                    byte_offset: 0,
                },
            },
            shape: vec![2, 16],
            strides: vec![16, 1],
            data: vec![Line([0.5; 16]), Line([1.5; 16])],
        }));
        // SAFETY: just made; the vectors' buffers do not move.
        unsafe {
            (*foreign).managed.manager_ctx = foreign.cast::<c_void>();
            (*foreign).managed.dl_tensor.data = (*foreign).data.as_mut_ptr().cast::<c_void>();
            (*foreign).managed.dl_tensor.shape = (*foreign).shape.as_mut_ptr();
            (*foreign).managed.dl_tensor.strides = (*foreign).strides.as_mut_ptr();
        }
        foreign
    }
}

/// What becomes of a foreign tensor that `change` was done to, and how often it was deleted.
fn receive(
    change: impl FnOnce(&mut Foreign),
    then: impl FnOnce(&mut Tensor),
) -> (Result<(), DlpackError>, u32) {
    let deleted = Cell::new(0);
    let foreign = Foreign::new(&deleted);
    // SAFETY: `foreign` is live, and given away or deleted once.
    let result = unsafe {
        change(&mut *foreign);
        let managed = &raw mut (*foreign).managed;
        match Tensor::from_dlpack(managed, ScalarType::F32) {
            Ok(mut tensor) => {
                then(&mut tensor);
                Ok(())
            }
            Err(error) => {
                assert_eq!(deleted.get(), 0, "a refused tensor stays the caller's");
                delete(managed);
                Err(error)
            }
        }
    };
    (result, deleted.get())
}

#[test]
fn a_foreign_tensor_is_taken_over_and_deleted_once() {
    let same = |foreign: &mut Foreign| foreign.managed.dl_tensor.byte_offset = 64;
    let taken = receive(
        |foreign| {
            same(foreign);
            foreign.shape[0] = 1;
        },
        |tensor| assert_eq!(tensor.as_slice::<f32>().unwrap(), [1.5; 16]),
    );
    assert_eq!(taken, (Ok(()), 1));
    let compact = receive(
        |foreign| foreign.managed.dl_tensor.strides = null_mut(),
        |tensor| assert_eq!(tensor.len(), 32),
    );
    assert_eq!(compact, (Ok(()), 1));
    let unit_axis = receive(
        |foreign| {
            foreign.shape[0] = 1;
            foreign.strides[0] = -7;
        },
        |tensor| assert_eq!(tensor.shape(), [1, 16]),
    );
    assert_eq!(unit_axis, (Ok(()), 1));
}

#[test]
fn a_read_only_tensor_is_copied_before_a_write() {
    let result = receive(
        |foreign| foreign.managed.flags = FLAG_READ_ONLY,
        |tensor| {
            let before = tensor.view().data;
            tensor.set(0, Scalar::F32(2.0)).unwrap();
            assert_ne!(before, tensor.view().data);
        },
    );
    assert_eq!(result, (Ok(()), 1));
}

#[test]
fn an_empty_foreign_tensor_may_have_no_data() {
    let result = receive(
        |foreign| {
            foreign.shape[0] = 0;
            foreign.managed.dl_tensor.data = null_mut();
        },
        |tensor| assert_ne!(tensor.bytes().as_ptr().addr(), 0),
    );
    assert_eq!(result, (Ok(()), 1));
}

#[test]
fn what_is_no_tensor_of_ours_is_refused() {
    let refused = |change: fn(&mut Foreign)| receive(change, |_| panic!("accepted")).0.unwrap_err();
    let version = refused(|foreign| foreign.managed.version.major = 2);
    assert_eq!(
        version.to_string(),
        "DLPack version 1.x was expected, 2 was found"
    );
    let device = refused(|foreign| foreign.managed.dl_tensor.device.device_type = 2);
    assert_eq!(device, DlpackError::Device { device_type: 2 });
    let element = refused(|foreign| foreign.managed.dl_tensor.dtype.bits = 64);
    assert!(matches!(element, DlpackError::Element { .. }));
    let lanes = refused(|foreign| foreign.managed.dl_tensor.dtype.lanes = 4);
    assert!(matches!(lanes, DlpackError::Element { .. }));
    let transposed = refused(|foreign| foreign.strides.copy_from_slice(&[1, 2]));
    assert_eq!(
        transposed,
        DlpackError::Strides {
            strides: vec![1, 2]
        }
    );
    let rank = refused(|foreign| foreign.managed.dl_tensor.ndim = -1);
    assert_eq!(rank, DlpackError::Shape);
    let extent = refused(|foreign| foreign.shape[1] = -16);
    assert_eq!(extent, DlpackError::Shape);
    let shapeless = refused(|foreign| foreign.managed.dl_tensor.shape = null_mut());
    assert_eq!(shapeless, DlpackError::Shape);
    let huge = refused(|foreign| foreign.shape.fill(1 << 40));
    assert!(matches!(
        huge,
        DlpackError::Strides { .. } | DlpackError::Tensor(_)
    ));
    let unaligned = refused(|foreign| foreign.managed.dl_tensor.byte_offset = 4);
    assert_eq!(unaligned, DlpackError::Alignment);
    // SAFETY: null is refused before anything is read.
    let null = unsafe { Tensor::from_dlpack(null_mut(), ScalarType::F32) };
    assert_eq!(null.unwrap_err(), DlpackError::Null);
}
