//! What runs kernels, and the functions of MLIR's GPU runtime ABI over it (backend specification,
//! §GPU kernels): the host's half of a GPU body calls them.
//!
//! A device is a [`Device`]: a driver's, or an emulated one. [`run`] calls host code for one. The
//! ABI has no way to say that a call failed, so the first failure of a run is kept, what follows
//! it does nothing, and the run ends with it. The crate must never know HIR, MLIR or LLVM.

mod abi;
mod driver;
mod error;
mod image;
mod session;
mod unreturned;
mod watched;

pub use abi::symbols;
pub use driver::DriverDevice;
pub use error::{DeviceError, Race};
pub use session::{Run, Usage, read, run, write};
pub use unreturned::{keep_unreturned, take_unreturned};
pub use watched::{Call, Watch, Watched};

use std::ffi::c_void;

/// A GPU of one driver. Several threads may use it.
///
/// A number that one of its functions gave means something to it alone; 0 is none. Addresses are
/// those that kernels see, and nothing that the host may touch.
pub trait Device: Send + Sync {
    /// Loads what `gpu-module-to-binary` serialized for this driver.
    fn load(&self, image: &[u8]) -> Result<u64, DeviceError>;

    /// Gives a module back. No launch of its functions is under way.
    fn unload(&self, module: u64) -> Result<(), DeviceError>;

    /// A kernel of a module, valid while that is loaded.
    fn function(&self, module: u64, name: &str) -> Result<u64, DeviceError>;

    /// The address of new memory of so many bytes, aligned as the driver does.
    fn allocate(&self, bytes: u64) -> Result<u64, DeviceError>;

    /// Gives memory back, whose address that is.
    fn free(&self, address: u64) -> Result<(), DeviceError>;

    /// Copies to the device.
    fn write(&self, to: u64, from: &[u8]) -> Result<(), DeviceError>;

    /// Copies from the device, after everything that it was asked to do.
    fn read(&self, from: u64, to: &mut [u8]) -> Result<(), DeviceError>;

    /// Copies within the device.
    fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), DeviceError> {
        let mut held = vec![0; bytes as usize];
        self.read(from, &mut held)?;
        self.write(to, &held)
    }

    /// A queue of launches.
    fn create_stream(&self) -> Result<u64, DeviceError>;

    /// Gives a queue back, whose launches have ended.
    fn destroy_stream(&self, stream: u64) -> Result<(), DeviceError>;

    /// Waits for the launches of a queue, and answers the first failure among them.
    fn synchronize(&self, stream: u64) -> Result<(), DeviceError>;

    /// Queues a launch, or runs it.
    ///
    /// # Safety
    /// There is an argument of the right type for each of the function's parameters.
    unsafe fn launch(&self, launch: &Launch<'_>) -> Result<(), DeviceError>;

    /// Calls host code that uses the device; an emulated device holds it to the rules.
    ///
    /// # Safety
    /// `run` may be left in the middle, not unwound, where it breaks them.
    unsafe fn host(&self, run: &mut dyn FnMut()) -> Result<(), DeviceError> {
        run();
        Ok(())
    }
}

/// A launch of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    pub function: u64,
    /// Blocks along x, y and z.
    pub grid: [u64; 3],
    /// Threads of a block along x, y and z.
    pub block: [u64; 3],
    /// Bytes of shared memory beyond the kernel's own.
    pub shared: u32,
    pub stream: u64,
    /// The address of each argument.
    pub arguments: &'a [*const c_void],
}
