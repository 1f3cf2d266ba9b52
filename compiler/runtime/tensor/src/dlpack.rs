//! The C structures of DLPack 1.x, field for field.

use std::ffi::c_void;

use shared_types::{ScalarClass, ScalarType};

/// The version that this crate writes. Another minor version has the same layout.
pub const VERSION: DLPackVersion = DLPackVersion { major: 1, minor: 1 };

/// `kDLCPU`.
pub const DEVICE_CPU: i32 = 1;

pub const CODE_INT: u8 = 0;
pub const CODE_UINT: u8 = 1;
pub const CODE_FLOAT: u8 = 2;
pub const CODE_BFLOAT: u8 = 4;
pub const CODE_BOOL: u8 = 6;

/// A consumer may not write through the pointer.
pub const FLAG_READ_ONLY: u64 = 1;

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLPackVersion {
    pub major: u32,
    pub minor: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDevice {
    pub device_type: i32,
    pub device_id: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDataType {
    pub code: u8,
    pub bits: u8,
    pub lanes: u16,
}

impl DLDataType {
    /// A `char` travels as its code point, a `uint32`: DLPack has no such type.
    pub fn of(scalar: ScalarType) -> Self {
        let code = match scalar.class() {
            ScalarClass::Signed => CODE_INT,
            ScalarClass::Unsigned | ScalarClass::Char => CODE_UINT,
            ScalarClass::Float if scalar == ScalarType::Bf16 => CODE_BFLOAT,
            ScalarClass::Float => CODE_FLOAT,
            ScalarClass::Bool => CODE_BOOL,
        };
        DLDataType {
            code,
            bits: scalar.bytes() as u8 * 8,
            lanes: 1,
        }
    }
}

/// Extents and strides count elements; null strides mean compact row-major.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DLTensor {
    pub data: *mut c_void,
    pub device: DLDevice,
    pub ndim: i32,
    pub dtype: DLDataType,
    pub shape: *mut i64,
    pub strides: *mut i64,
    pub byte_offset: u64,
}

#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensorVersioned {
    pub version: DLPackVersion,
    pub manager_ctx: *mut c_void,
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    pub flags: u64,
    pub dl_tensor: DLTensor,
}
