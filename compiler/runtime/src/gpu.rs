use std::sync::Arc;

use codegen::Signature;
use device::{Device, Usage};

use crate::constructors::{CONSTRUCT, DESTRUCT, add_constructors};
use crate::{Argument, Jit, RuntimeError};

/// The GPU bodies of a program: host code that launches their kernels on a device (backend
/// specification, §GPU kernels).
pub struct GpuJit {
    jit: Jit,
    device: Arc<dyn Device>,
    /// Gives the kernels back.
    destruct: extern "C" fn(),
}

impl GpuJit {
    /// Compiles a module for this machine's processor, and loads it. The kernels in it are loaded
    /// where one is first launched.
    ///
    /// `ir` is LLVM IR as text that defines a body for each signature, of which there are some.
    pub fn load(
        ir: &str,
        signatures: &[Signature],
        device: Arc<dyn Device>,
    ) -> Result<GpuJit, RuntimeError> {
        let jit = Jit::load_with(ir, signatures, &device::symbols(), add_constructors)?;
        let destruct = jit.function(DESTRUCT)?;
        jit.function(CONSTRUCT)?();
        Ok(GpuJit {
            jit,
            device,
            destruct,
        })
    }

    /// The device that the kernels run on.
    pub fn device(&self) -> &Arc<dyn Device> {
        &self.device
    }

    /// Runs a body, and says what it launched. Nothing runs unless the arguments are exactly what
    /// it takes, its tensors and its status word in the device's memory.
    pub fn call(
        &self,
        symbol: &str,
        arguments: &mut [Argument<'_>],
    ) -> Result<Usage, RuntimeError> {
        let on_host = arguments.iter().any(|argument| match argument {
            Argument::Operand(_) | Argument::Result(_) | Argument::Status(_) => true,
            Argument::Scalar(_)
            | Argument::Function(_)
            | Argument::Threads(_)
            | Argument::Device(_) => false,
        });
        if on_host {
            let symbol = symbol.to_string();
            return Err(RuntimeError::OnHost { symbol });
        }
        self.jit.calls(symbol, arguments, |call| {
            let mut outcome = Ok(());
            // SAFETY: a body owns nothing, nor does what calls it.
            let usage = unsafe { device::run(&self.device, &mut || outcome = call()) }?;
            outcome?;
            Ok(usage)
        })?
    }
}

impl Drop for GpuJit {
    fn drop(&mut self) {
        (self.destruct)();
    }
}
