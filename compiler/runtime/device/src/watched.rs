//! A device that tells of the calls of another.

use std::sync::Arc;

use crate::{Device, DeviceError, Launch};

/// A call of a [`Device`]'s function, with what that takes.
#[derive(Clone, Copy, Debug)]
pub enum Call<'a> {
    Load {
        image: &'a [u8],
    },
    Unload {
        module: u64,
    },
    Function {
        module: u64,
        name: &'a str,
    },
    Allocate {
        bytes: u64,
    },
    Free {
        address: u64,
    },
    Write {
        to: u64,
        from: &'a [u8],
    },
    /// After it, `to` is what was read.
    Read {
        from: u64,
        to: &'a [u8],
    },
    Copy {
        to: u64,
        from: u64,
        bytes: u64,
    },
    CreateStream,
    DestroyStream {
        stream: u64,
    },
    Synchronize {
        stream: u64,
    },
    Launch(&'a Launch<'a>),
}

impl Call<'_> {
    /// The function's name.
    pub fn name(&self) -> &'static str {
        match self {
            Call::Load { .. } => "load",
            Call::Unload { .. } => "unload",
            Call::Function { .. } => "function",
            Call::Allocate { .. } => "allocate",
            Call::Free { .. } => "free",
            Call::Write { .. } => "write",
            Call::Read { .. } => "read",
            Call::Copy { .. } => "copy",
            Call::CreateStream => "create_stream",
            Call::DestroyStream { .. } => "destroy_stream",
            Call::Synchronize { .. } => "synchronize",
            Call::Launch(_) => "launch",
        }
    }

    /// Whether it gives back what another call gave.
    pub fn gives_back(&self) -> bool {
        match self {
            Call::Unload { .. } | Call::Free { .. } | Call::DestroyStream { .. } => true,
            Call::Load { .. }
            | Call::Function { .. }
            | Call::Allocate { .. }
            | Call::Write { .. }
            | Call::Read { .. }
            | Call::Copy { .. }
            | Call::CreateStream
            | Call::Synchronize { .. }
            | Call::Launch(_) => false,
        }
    }
}

/// What is told of the calls of a device. An error here is that of the call.
pub trait Watch: Send + Sync {
    /// Told before a call; after an error it is not made.
    fn before(&self, call: &Call<'_>) -> Result<(), DeviceError> {
        let _ = call;
        Ok(())
    }

    /// Told after a call that did not fail, with the number that it gave, or 0.
    ///
    /// # Safety
    /// The arguments of a launch are there, as [`Device::launch`] has them.
    unsafe fn after(&self, call: &Call<'_>, number: u64) -> Result<(), DeviceError> {
        let _ = (call, number);
        Ok(())
    }
}

/// A device that does as another, and tells of it.
pub struct Watched<W> {
    device: Arc<dyn Device>,
    watch: W,
}

impl<W: Watch> Watched<W> {
    pub fn new(device: Arc<dyn Device>, watch: W) -> Self {
        Watched { device, watch }
    }

    /// What is told.
    pub fn watch(&self) -> &W {
        &self.watch
    }

    /// # Safety
    /// As of [`Watch::after`].
    unsafe fn told(
        &self,
        call: &Call<'_>,
        make: impl FnOnce(&dyn Device) -> Result<u64, DeviceError>,
    ) -> Result<u64, DeviceError> {
        self.watch.before(call)?;
        let number = make(&*self.device)?;
        // SAFETY: as above.
        unsafe { self.watch.after(call, number)? };
        Ok(number)
    }

    /// A call that is no launch.
    fn tell(
        &self,
        call: &Call<'_>,
        make: impl FnOnce(&dyn Device) -> Result<u64, DeviceError>,
    ) -> Result<u64, DeviceError> {
        // SAFETY: a launch alone has arguments.
        unsafe { self.told(call, make) }
    }
}

impl<W: Watch> Device for Watched<W> {
    fn load(&self, image: &[u8]) -> Result<u64, DeviceError> {
        self.tell(&Call::Load { image }, |device| device.load(image))
    }

    fn unload(&self, module: u64) -> Result<(), DeviceError> {
        let call = Call::Unload { module };
        self.tell(&call, |device| device.unload(module).map(|()| 0))?;
        Ok(())
    }

    fn function(&self, module: u64, name: &str) -> Result<u64, DeviceError> {
        let call = Call::Function { module, name };
        self.tell(&call, |device| device.function(module, name))
    }

    fn allocate(&self, bytes: u64) -> Result<u64, DeviceError> {
        self.tell(&Call::Allocate { bytes }, |device| device.allocate(bytes))
    }

    fn free(&self, address: u64) -> Result<(), DeviceError> {
        let call = Call::Free { address };
        self.tell(&call, |device| device.free(address).map(|()| 0))?;
        Ok(())
    }

    fn write(&self, to: u64, from: &[u8]) -> Result<(), DeviceError> {
        let call = Call::Write { to, from };
        self.tell(&call, |device| device.write(to, from).map(|()| 0))?;
        Ok(())
    }

    fn read(&self, from: u64, to: &mut [u8]) -> Result<(), DeviceError> {
        self.watch.before(&Call::Read { from, to })?;
        self.device.read(from, to)?;
        // SAFETY: it is no launch.
        unsafe { self.watch.after(&Call::Read { from, to }, 0) }
    }

    fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), DeviceError> {
        let call = Call::Copy { to, from, bytes };
        self.tell(&call, |device| device.copy(to, from, bytes).map(|()| 0))?;
        Ok(())
    }

    fn create_stream(&self) -> Result<u64, DeviceError> {
        self.tell(&Call::CreateStream, |device| device.create_stream())
    }

    fn destroy_stream(&self, stream: u64) -> Result<(), DeviceError> {
        let call = Call::DestroyStream { stream };
        self.tell(&call, |device| device.destroy_stream(stream).map(|()| 0))?;
        Ok(())
    }

    fn synchronize(&self, stream: u64) -> Result<(), DeviceError> {
        let call = Call::Synchronize { stream };
        self.tell(&call, |device| device.synchronize(stream).map(|()| 0))?;
        Ok(())
    }

    unsafe fn launch(&self, launch: &Launch<'_>) -> Result<(), DeviceError> {
        // SAFETY: as the caller promises.
        let make = |device: &dyn Device| unsafe { device.launch(launch).map(|()| 0) };
        // SAFETY: the same.
        unsafe { self.told(&Call::Launch(launch), make)? };
        Ok(())
    }

    unsafe fn host(&self, run: &mut dyn FnMut()) -> Result<(), DeviceError> {
        // SAFETY: as the caller promises.
        unsafe { self.device.host(run) }
    }
}
