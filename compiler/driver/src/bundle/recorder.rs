use std::collections::{BTreeMap, HashMap};
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use runtime::{Device, DeviceError, Launch};
use serde_json::{Value, json};

use super::parameters::Parameter;
use super::store::Store;

/// A device that notes what is asked of another.
pub struct Recorder {
    device: Arc<dyn Device>,
    /// The code that it is to load.
    code: Vec<u8>,
    kernels: HashMap<String, Vec<Parameter>>,
    store: Store,
    notes: Mutex<Notes>,
}

#[derive(Default)]
struct Notes {
    steps: Vec<Value>,
    launches: usize,
    reads: usize,
    /// How many buffers there have been; each has its number.
    count: usize,
    /// The buffers that there are, by their addresses: their numbers and sizes.
    buffers: BTreeMap<u64, (usize, u64)>,
    functions: HashMap<u64, String>,
}

impl Recorder {
    pub fn new(
        device: Arc<dyn Device>,
        code: Vec<u8>,
        kernels: HashMap<String, Vec<Parameter>>,
        store: Store,
    ) -> Recorder {
        Recorder {
            device,
            code,
            kernels,
            store,
            notes: Mutex::default(),
        }
    }

    /// What was asked, in order; `None` if nothing was launched, or nothing read that tells of it.
    pub fn steps(&self) -> Option<Value> {
        let notes = self.notes();
        (notes.launches > 0 && notes.reads > 0).then(|| Value::Array(notes.steps.clone()))
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An argument of a launch.
    ///
    /// # Safety
    /// It is a value of the parameter's type.
    unsafe fn argument(&self, parameter: Parameter, value: *const c_void) -> Value {
        let Parameter { bytes, is_pointer } = parameter;
        // SAFETY: as above.
        let bytes = unsafe { std::slice::from_raw_parts(value.cast::<u8>(), bytes) };
        let place = match bytes.try_into() {
            Ok(address) if is_pointer => self.notes().place(u64::from_ne_bytes(address)),
            _ => None,
        };
        match place {
            Some((buffer, offset)) => json!({ "buffer": buffer, "offset": offset }),
            None => json!({ "hex": hexadecimal(bytes) }),
        }
    }
}

impl Notes {
    /// The buffer that an address is in or at the end of, and how far into it.
    fn place(&self, address: u64) -> Option<(usize, u64)> {
        let (start, (buffer, bytes)) = self.buffers.range(..=address).next_back()?;
        let offset = address - start;
        (offset <= *bytes).then_some((*buffer, offset))
    }
}

pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn wrong(call: &'static str, reason: impl Into<String>) -> DeviceError {
    let reason = reason.into();
    DeviceError::Wrong { call, reason }
}

fn unwritable(error: std::io::Error) -> DeviceError {
    DeviceError::Driver {
        call: "the bundle cannot be written",
        name: error.to_string(),
    }
}

impl Device for Recorder {
    fn load(&self, image: &[u8]) -> Result<u64, DeviceError> {
        if image != self.code {
            return Err(wrong("load", "that is other code than was compiled before"));
        }
        self.device.load(image)
    }

    fn unload(&self, module: u64) -> Result<(), DeviceError> {
        self.device.unload(module)
    }

    fn function(&self, module: u64, name: &str) -> Result<u64, DeviceError> {
        let function = self.device.function(module, name)?;
        self.notes().functions.insert(function, name.to_string());
        Ok(function)
    }

    fn allocate(&self, bytes: u64) -> Result<u64, DeviceError> {
        let address = self.device.allocate(bytes)?;
        let mut notes = self.notes();
        let buffer = notes.count;
        notes.count += 1;
        notes.buffers.insert(address, (buffer, bytes));
        let step = json!({ "do": "allocate", "buffer": buffer, "bytes": bytes });
        notes.steps.push(step);
        Ok(address)
    }

    fn free(&self, address: u64) -> Result<(), DeviceError> {
        // The script gives all back at the end of a case.
        self.notes().buffers.remove(&address);
        self.device.free(address)
    }

    fn write(&self, to: u64, from: &[u8]) -> Result<(), DeviceError> {
        self.device.write(to, from)?;
        let hash = self.store.input(from).map_err(unwritable)?;
        let mut notes = self.notes();
        let (buffer, offset) = notes.place(to).ok_or_else(|| wrong("write", "no buffer"))?;
        let step = json!({
            "do": "write", "buffer": buffer, "offset": offset, "bytes": from.len(), "hash": hash,
        });
        notes.steps.push(step);
        Ok(())
    }

    fn read(&self, from: u64, to: &mut [u8]) -> Result<(), DeviceError> {
        self.device.read(from, to)?;
        let hash = self.store.expected(to).map_err(unwritable)?;
        let mut notes = self.notes();
        let (buffer, offset) = notes
            .place(from)
            .ok_or_else(|| wrong("read", "no buffer"))?;
        let step = json!({
            "do": "read", "buffer": buffer, "offset": offset, "bytes": to.len(), "hash": hash,
        });
        notes.reads += 1;
        notes.steps.push(step);
        Ok(())
    }

    fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), DeviceError> {
        self.device.copy(to, from, bytes)?;
        let mut notes = self.notes();
        let place = |address| {
            notes
                .place(address)
                .ok_or_else(|| wrong("copy", "no buffer"))
        };
        let ((buffer, offset), (source, source_offset)) = (place(to)?, place(from)?);
        let step = json!({
            "do": "copy", "buffer": buffer, "offset": offset, "bytes": bytes,
            "from": { "buffer": source, "offset": source_offset },
        });
        notes.steps.push(step);
        Ok(())
    }

    fn create_stream(&self) -> Result<u64, DeviceError> {
        self.device.create_stream()
    }

    fn destroy_stream(&self, stream: u64) -> Result<(), DeviceError> {
        self.device.destroy_stream(stream)
    }

    fn synchronize(&self, stream: u64) -> Result<(), DeviceError> {
        self.device.synchronize(stream)
    }

    unsafe fn launch(&self, launch: &Launch<'_>) -> Result<(), DeviceError> {
        // SAFETY: as the caller promises.
        unsafe { self.device.launch(launch)? };
        let kernel = self.notes().functions.get(&launch.function).cloned();
        let kernel = kernel.ok_or_else(|| wrong("launch", "no function"))?;
        let parameters = self.kernels.get(&kernel).map_or(&[][..], Vec::as_slice);
        if parameters.len() != launch.arguments.len() {
            return Err(wrong(
                "launch",
                format!("PTX has other parameters of `{kernel}`"),
            ));
        }
        let arguments = parameters.iter().zip(launch.arguments);
        // SAFETY: as the caller promises.
        let arguments = arguments.map(|(one, value)| unsafe { self.argument(*one, *value) });
        let step = json!({
            "do": "launch",
            "kernel": kernel,
            "grid": launch.grid,
            "block": launch.block,
            "arguments": arguments.collect::<Vec<_>>(),
        });
        let mut notes = self.notes();
        notes.launches += 1;
        notes.steps.push(step);
        Ok(())
    }

    unsafe fn host(&self, run: &mut dyn FnMut()) -> Result<(), DeviceError> {
        // SAFETY: as the caller promises.
        unsafe { self.device.host(run) }
    }
}
