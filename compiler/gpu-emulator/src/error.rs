use codegen::CodegenError;
use thiserror::Error;

use crate::Report;

/// Why the emulated device did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum EmulatorError {
    #[error("no device is emulated on this system: {0}")]
    System(String),
    #[error(transparent)]
    Codegen(#[from] CodegenError),
    #[error("the device code is for `{found}`, not for `{expected}`")]
    OtherDevice {
        expected: &'static str,
        found: String,
    },
    #[error("the device code uses `{0}`, which is not emulated")]
    NotEmulated(String),
    #[error("the device code has no kernel `{0}`")]
    UnknownKernel(String),
    #[error("kernel `{kernel}` takes {expected} parameters, {found} were given")]
    Parameters {
        kernel: String,
        expected: usize,
        found: usize,
    },
    #[error("kernel `{kernel}` cannot be launched: {reason}")]
    Limit { kernel: String, reason: String },
    #[error("{bytes} bytes of device memory cannot be had")]
    OutOfMemory { bytes: u64 },
    #[error("{bytes} bytes at {address:#x} are in no buffer of the device")]
    NoBuffer { address: u64, bytes: u64 },
    #[error(transparent)]
    Report(Box<Report>),
}

impl From<Report> for EmulatorError {
    fn from(report: Report) -> Self {
        EmulatorError::Report(Box::new(report))
    }
}
