use std::collections::HashMap;
use std::ffi::c_void;

use codegen::{CodegenError, LoadedObject, Machine, Processor, QuietContext};
use inkwell::memory_buffer::MemoryBuffer;

use crate::memory::Memory;
use crate::retarget::{IMPLICIT, Kernel, POSITIONS, entry_name, retarget};
use crate::{EmulatorError, Vendor, callbacks};

/// Device code that is loaded. It holds shared memory until it is given back to its device.
pub struct Module {
    kernels: HashMap<String, Entry>,
    /// The words that tell the running thread its position.
    pub(crate) positions: *mut [u32; 12],
    /// What AMD's code reads extents from.
    pub(crate) implicit: *mut u8,
    /// Where shared memory is.
    pub(crate) shared: Vec<usize>,
    /// Holds what all of these point to.
    _code: LoadedObject,
}

// SAFETY: the pointers are into the code, and are used while the device is locked.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

/// The type of what [`retarget`] adds for each kernel.
type Code = unsafe extern "C" fn(*const *const c_void);

pub(crate) struct Entry {
    pub(crate) kernel: Kernel,
    pub(crate) code: Code,
}

impl Module {
    pub(crate) fn load(
        code: &[u8],
        vendor: Vendor,
        checked: bool,
        memory: &mut Memory,
    ) -> Result<Module, EmulatorError> {
        let processor = Processor::native();
        let machine = Machine::new(&processor)?;
        let llvm = QuietContext::new();
        let buffer = MemoryBuffer::create_from_memory_range_copy(code, "device");
        let module = llvm
            .context
            .create_module_from_ir(buffer)
            .map_err(|error| CodegenError::Parse(error.to_string()))?;
        let retargeted = retarget(&module, &machine.layout(), vendor, checked)?;
        let object = machine.compile(&module)?;
        if let Some(errors) = llvm.errors() {
            return Err(CodegenError::Compile(errors).into());
        }
        let mut shared = Vec::new();
        let loaded = retargeted.shared.iter().try_for_each(|one| {
            shared.push(memory.allocate_shared(one.bytes)?);
            Ok(())
        });
        let loaded = loaded.and_then(|()| {
            let names = retargeted.shared.iter().map(|one| one.symbol.as_str());
            let mut symbols = callbacks::symbols().to_vec();
            symbols.extend(names.zip(shared.iter().copied()));
            let code = LoadedObject::load(object, &symbols)?;
            let mut kernels = HashMap::new();
            for kernel in retargeted.kernels {
                let address = code.address(&entry_name(&kernel.name))?;
                // SAFETY: that is the address of a function of this type, which was added.
                let code = unsafe { std::mem::transmute::<usize, Code>(address) };
                kernels.insert(kernel.name.clone(), Entry { kernel, code });
            }
            let at = |symbol| Ok::<_, EmulatorError>(code.address(symbol)?);
            Ok(Module {
                kernels,
                positions: std::ptr::with_exposed_provenance_mut(at(POSITIONS)?),
                implicit: std::ptr::with_exposed_provenance_mut(at(IMPLICIT)?),
                shared: shared.clone(),
                _code: code,
            })
        });
        if loaded.is_err() {
            for address in shared {
                memory.free(address)?;
            }
        }
        loaded
    }

    pub(crate) fn entry(&self, kernel: &str) -> Result<&Entry, EmulatorError> {
        let unknown = || EmulatorError::UnknownKernel(kernel.to_string());
        self.kernels.get(kernel).ok_or_else(unknown)
    }

    /// How many parameters a kernel takes.
    pub(crate) fn parameters(&self, kernel: &str) -> Option<usize> {
        Some(self.kernels.get(kernel)?.kernel.parameters)
    }

    /// Whether there is a kernel of that name.
    pub fn has(&self, kernel: &str) -> bool {
        self.kernels.contains_key(kernel)
    }
}
