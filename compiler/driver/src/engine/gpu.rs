use std::sync::Arc;

use gpu_emulator::{EmulatedDevice, Options};
use interpreter::{Interpreter, Value};
use mlir_backend::BodyParameter;
use mlir_backend::internal::{self, Body, Chip, Form, GpuOptions, Vendor};
use neuro_hir::{HirFunction, HirProgram, HirType};
use runtime::{Argument, Device, DeviceError, DeviceTensor, DriverDevice, GpuJit, RuntimeError};
use tensor::Tensor;

use super::Jit;
use super::code::Code;
use super::jit::{out_of_memory, results};
use super::status::{NOTHING_FAILED, decode};
use crate::Fault;

/// A program's operations as kernels of a device; those that have none, on the host.
pub struct Gpu {
    code: Code<GpuJit>,
    host: Jit,
}

/// The order of blocks and threads on an emulated device: not that of their numbers, so that what
/// depends on it shows.
const SEED: u64 = 1;

impl Gpu {
    /// Compiles the program for an emulated device of the vendor's, and for the host what a run of
    /// `entries` may come to.
    pub fn emulated<'p>(
        program: &'p HirProgram,
        entries: impl IntoIterator<Item = &'p str>,
        vendor: Vendor,
    ) -> Result<Gpu, Fault> {
        let (emulated, chip) = match vendor {
            Vendor::Nvidia => (gpu_emulator::Vendor::Nvidia, "sm_90"),
            Vendor::Amd => (gpu_emulator::Vendor::Amd, "gfx942"),
        };
        let options = Options {
            seed: SEED,
            checked: true,
            ..Options::new(emulated)
        };
        let device = EmulatedDevice::new(options);
        let device = device.map_err(|error| Fault::failed(None, error.to_string()))?;
        let options = GpuOptions {
            takes: &|_| true,
            chip: Chip::find(vendor, chip).map_err(|error| Fault::of_backend(&error))?,
            form: Form::Bitcode,
            math: Some(true),
        };
        Gpu::compile(program, entries, options, Arc::new(device))
    }

    /// The same for the first device of the vendor's driver; a fault where none is usable.
    pub fn real<'p>(
        program: &'p HirProgram,
        entries: impl IntoIterator<Item = &'p str>,
        vendor: Vendor,
    ) -> Result<Gpu, Fault> {
        let device = match vendor {
            Vendor::Nvidia => DriverDevice::cuda(),
            Vendor::Amd => DriverDevice::hip(),
        };
        let device = device.map_err(|error| Fault::failed(None, error.to_string()))?;
        let chip = Chip::of_device(vendor, device.chip())
            .map_err(|error| Fault::failed(None, format!("no usable device: {error}")))?;
        let options = GpuOptions {
            takes: &|_| true,
            chip,
            form: Form::Native,
            math: None,
        };
        Gpu::compile(program, entries, options, Arc::new(device))
    }

    /// The same for any device. Of the outlined operations those are taken that a run of `entries` may come to.
    pub fn compile<'p>(
        program: &'p HirProgram,
        entries: impl IntoIterator<Item = &'p str>,
        options: GpuOptions<'_>,
        device: Arc<dyn Device>,
    ) -> Result<Gpu, Fault> {
        let entries: Vec<&str> = entries.into_iter().collect();
        let reachable = program.reachable_from(entries.iter().copied());
        let options = GpuOptions {
            takes: &|function| reachable.contains(function.name.as_str()),
            ..options
        };
        let host = Jit::compile(program, entries)?;
        let linked =
            internal::link_gpu(program, &options).map_err(|error| Fault::of_backend(&error))?;
        let code = Code::load(linked.bodies, linked.refused, |signatures| {
            GpuJit::load(&linked.llvm_ir, signatures, device)
        })?;
        Ok(Gpu { code, host })
    }

    /// Why an operation runs on the host; `None` where it runs on the device.
    pub fn why_on_host(&self, function: &HirFunction) -> Option<&str> {
        if self.code.jit.is_some() && self.code.bodies.contains_key(&function.name) {
            return None;
        }
        let refused = self.code.refused.get(&function.name);
        Some(refused.map_or("it was not lowered for a GPU", |one| &one.function.reason))
    }

    /// Runs an operation as [`Jit::run`] does, and says how many kernels it launched.
    pub fn run<'p>(
        &self,
        interpreter: &mut Interpreter<'p, '_>,
        function: &HirFunction,
        values: &mut [Value<'p>],
    ) -> Result<(Value<'p>, u64), Fault> {
        let (Some(code), Some(body)) = (&self.code.jit, self.code.bodies.get(&function.name))
        else {
            return Ok((self.host.run(interpreter, function, values)?, 0));
        };
        let failed = |error| fault(function, error);
        let mut results = results(function, body)?;
        let staged = stage(code, function, body, values)?;
        let mut tensors = staged.iter();
        let mut arguments = Vec::new();
        for (index, parameter) in body.parameters.iter().enumerate() {
            let argument = match (parameter, values.get(index)) {
                (
                    BodyParameter::Scalar(_) | BodyParameter::Position { .. },
                    Some(Value::Scalar(scalar)),
                ) => Some(Argument::Scalar(*scalar)),
                _ => tensors.next().map(Argument::Device),
            };
            arguments.push(argument.ok_or_else(|| misfit(function))?);
        }
        let usage = code.call(&body.symbol, &mut arguments).map_err(failed)?;
        let mut fresh = results.iter_mut();
        let mut tensors = staged.iter();
        let mut status = NOTHING_FAILED;
        for (index, parameter) in body.parameters.iter().enumerate() {
            match parameter {
                BodyParameter::Scalar(_) | BodyParameter::Position { .. } => continue,
                BodyParameter::Status => {
                    if let Some(word) = tensors.next() {
                        status = word.read_status().map_err(failed)?;
                    }
                    if status != NOTHING_FAILED {
                        break;
                    }
                    continue;
                }
                _ => {}
            }
            let Some(device) = tensors.next() else { break };
            let host: Option<&mut Tensor> = match (parameter, values.get_mut(index)) {
                (BodyParameter::Target { .. }, Some(Value::Tensor(tensor))) => Some(tensor),
                (BodyParameter::Result { .. }, _) => fresh.next(),
                _ => None,
            };
            if let Some(host) = host {
                device.read(host).map_err(failed)?;
            }
        }
        if status != NOTHING_FAILED {
            return Err(match decode(status, body) {
                Some(panic) => Fault::Panic(Box::new(panic)),
                None => {
                    let text = format!("`{}` left the status word {status:#x}", body.symbol);
                    Fault::internal(Some(function.span), text)
                }
            });
        }
        let mut results = results.into_iter().map(Value::Tensor);
        let value = match function.result {
            HirType::Tuple(_) => Value::Tuple(results.collect()),
            _ => results.next().unwrap_or(Value::Void),
        };
        Ok((value, usage.launches))
    }
}

/// The tensors of a call on the device, and its status word, in the order of the parameters.
fn stage(
    code: &GpuJit,
    function: &HirFunction,
    body: &Body,
    values: &[Value<'_>],
) -> Result<Vec<DeviceTensor>, Fault> {
    let device = code.device();
    let mut staged = Vec::new();
    for (index, parameter) in body.parameters.iter().enumerate() {
        let tensor = match (parameter, values.get(index)) {
            (BodyParameter::Scalar(_) | BodyParameter::Position { .. }, Some(Value::Scalar(_))) => {
                continue;
            }
            (
                BodyParameter::Operand { .. } | BodyParameter::Target { .. },
                Some(Value::Tensor(tensor)),
            ) => DeviceTensor::of(device, tensor),
            (BodyParameter::Result { scalar, shape }, _) => {
                DeviceTensor::empty(device, *scalar, shape)
            }
            (BodyParameter::Status, _) => DeviceTensor::status(device),
            _ => return Err(misfit(function)),
        };
        staged.push(tensor.map_err(|error| fault(function, error))?);
    }
    Ok(staged)
}

fn misfit(function: &HirFunction) -> Fault {
    let text = format!("`{}` was called with another argument", function.name);
    Fault::internal(Some(function.span), text)
}

fn fault(function: &HirFunction, error: RuntimeError) -> Fault {
    let span = Some(function.span);
    match error {
        RuntimeError::Tensor(error) => out_of_memory(function, error),
        RuntimeError::Device(
            error @ (DeviceError::Driver { .. }
            | DeviceError::Image { .. }
            | DeviceError::NoDevice { .. }
            | DeviceError::OutOfMemory { .. }),
        ) => Fault::failed(span, error.to_string()),
        error => Fault::internal(span, error.to_string()),
    }
}
