use std::collections::{BTreeMap, HashMap};
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, PoisonError};

use runtime::{Call, DeviceError, Launch, Watch};
use serde_json::{Value, json};

use super::parameters::Parameter;
use super::store::Store;

/// Notes what is asked of a device.
pub struct Recorder {
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
    pub fn new(code: Vec<u8>, kernels: HashMap<String, Vec<Parameter>>, store: Store) -> Recorder {
        Recorder {
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

    /// The step of a launch.
    ///
    /// # Safety
    /// Its arguments are there.
    unsafe fn launch(&self, launch: &Launch<'_>) -> Result<Value, DeviceError> {
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
        // SAFETY: as above.
        let arguments = arguments.map(|(one, value)| unsafe { self.argument(*one, *value) });
        Ok(json!({
            "do": "launch",
            "kernel": kernel,
            "grid": launch.grid,
            "block": launch.block,
            "arguments": arguments.collect::<Vec<_>>(),
        }))
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

impl Watch for Recorder {
    fn before(&self, call: &Call<'_>) -> Result<(), DeviceError> {
        if let Call::Load { image } = call
            && *image != self.code
        {
            return Err(wrong("load", "that is other code than was compiled before"));
        }
        Ok(())
    }

    unsafe fn after(&self, call: &Call<'_>, number: u64) -> Result<(), DeviceError> {
        let place = |address| {
            let place = self.notes().place(address);
            place.ok_or_else(|| wrong(call.name(), "no buffer"))
        };
        let step = match *call {
            Call::Function { name, .. } => {
                self.notes().functions.insert(number, name.to_string());
                return Ok(());
            }
            // The script gives all back at the end of a case.
            Call::Free { address } => {
                self.notes().buffers.remove(&address);
                return Ok(());
            }
            Call::Load { .. }
            | Call::Unload { .. }
            | Call::CreateStream
            | Call::DestroyStream { .. }
            | Call::Synchronize { .. } => return Ok(()),
            Call::Allocate { bytes } => {
                let mut notes = self.notes();
                let buffer = notes.count;
                notes.count += 1;
                notes.buffers.insert(number, (buffer, bytes));
                json!({ "do": "allocate", "buffer": buffer, "bytes": bytes })
            }
            Call::Write { to, from } => {
                let hash = self.store.input(from).map_err(unwritable)?;
                let (buffer, offset) = place(to)?;
                json!({
                    "do": "write", "buffer": buffer, "offset": offset, "bytes": from.len(),
                    "hash": hash,
                })
            }
            Call::Read { from, to } => {
                let hash = self.store.expected(to).map_err(unwritable)?;
                let (buffer, offset) = place(from)?;
                self.notes().reads += 1;
                json!({
                    "do": "read", "buffer": buffer, "offset": offset, "bytes": to.len(),
                    "hash": hash,
                })
            }
            Call::Copy { to, from, bytes } => {
                let ((buffer, offset), (source, source_offset)) = (place(to)?, place(from)?);
                json!({
                    "do": "copy", "buffer": buffer, "offset": offset, "bytes": bytes,
                    "from": { "buffer": source, "offset": source_offset },
                })
            }
            Call::Launch(launch) => {
                self.notes().launches += 1;
                // SAFETY: as the caller promises.
                unsafe { self.launch(launch)? }
            }
        };
        self.notes().steps.push(step);
        Ok(())
    }
}
