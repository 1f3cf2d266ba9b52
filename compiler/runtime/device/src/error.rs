use thiserror::Error;

/// Why a device did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The driver's own name of the failure, such as `CUDA_ERROR_INVALID_PTX`.
    #[error("{call}: {name}")]
    Driver { call: &'static str, name: String },
    /// The driver does not take kernels, by the log of its compiler.
    #[error("{call}: {name}: {log}")]
    Image {
        call: &'static str,
        name: String,
        log: String,
    },
    /// There is no device to ask.
    #[error("no usable device: {reason}")]
    NoDevice { reason: String },
    /// Under the driver's own name of that.
    #[error("{call}: {name}: {bytes} bytes of device memory")]
    OutOfMemory {
        call: &'static str,
        name: String,
        bytes: u64,
    },
    /// A thread of a launch has not ended after as long as the device lets one run.
    #[error("launch: {reason}")]
    Endless { reason: String },
    /// Two threads of a launch access one address, and nothing orders them.
    #[error("launch: {reason}")]
    Race { reason: String, race: Box<Race> },
    /// What a compiler made breaks a rule of the device.
    #[error("{call}: {reason}")]
    Wrong { call: &'static str, reason: String },
    /// The host code left this many of them.
    #[error("host code left {buffers} buffers and {streams} streams behind")]
    Leak { buffers: usize, streams: usize },
}

/// What two threads do at one address, the later one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    pub address: u64,
    /// Their positions along x, y and z of the launch.
    pub threads: [[u64; 3]; 2],
    /// Which of them write.
    pub write: [bool; 2],
}
