#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use gpu_emulator::{EmulatedDevice, Options};
use interpreter::{Failure, Interpreter, Value};
use mlir_backend::BodyParameter;
use mlir_backend::internal::{self, Chip, Failures, Form, GpuOptions, Kernel, Vendor};
use neuro_hir::{HirFunction, HirProgram, HirType};
use runtime::{Argument, Device, DeviceError, DeviceTensor, DriverDevice, GpuJit, RuntimeError};
use shared_types::Span;
use tensor::Scalar;

use super::code::Code;
use super::jit::out_of_memory;
use super::memory;
use super::resident::{Resident, moved_to_device, on_device};
use super::status::passed;
use super::{Jit, kernel};
use crate::Fault;

/// A program's operations as kernels of a device; those that have none, on the host.
pub struct Gpu {
    code: Code<GpuJit>,
    /// By their functions.
    kernels: HashMap<String, Kernel>,
    host: Box<Jit>,
}

impl Gpu {
    /// How a vendor's device is emulated where nothing else is asked for: checked, and in an order of
    /// blocks and threads that is not that of their numbers, so that what depends on it shows.
    pub fn emulation(vendor: gpu_emulator::Vendor) -> Options {
        Options {
            seed: 1,
            checked: true,
            ..Options::new(vendor)
        }
    }

    /// Compiles what a run of `entries` may come to for an emulated device, and for the host what has
    /// no kernels.
    pub fn emulated<'p>(
        program: &'p HirProgram,
        entries: impl IntoIterator<Item = &'p str>,
        options: Options,
    ) -> Result<Gpu, Fault> {
        let (vendor, chip) = match options.vendor {
            gpu_emulator::Vendor::Nvidia => (Vendor::Nvidia, "sm_90"),
            gpu_emulator::Vendor::Amd => (Vendor::Amd, "gfx942"),
        };
        let device = EmulatedDevice::new(options);
        let device = device.map_err(|error| Fault::failed(None, error.to_string()))?;
        let options = GpuOptions {
            takes: &|_| true,
            chip: Chip::find(vendor, chip).map_err(|error| Fault::of_backend(&error))?,
            form: Form::Bitcode,
            math: Some(true),
            failures: Failures::Report,
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
            failures: Failures::Report,
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
        let linked =
            internal::link_gpu(program, &options).map_err(|error| Fault::of_backend(&error))?;
        let on_device: HashSet<&str> = linked
            .bodies
            .iter()
            .map(|body| body.function.as_str())
            .collect();
        let host = Jit::compile_without(program, entries, &on_device)?;
        let code = Code::load(linked.bodies, linked.refused, |signatures| {
            GpuJit::load(&linked.llvm_ir, signatures, device)
        })?;
        let kernels = linked.kernels.into_iter();
        let kernels = kernels.map(|kernel| (kernel.function.clone(), kernel));
        Ok(Gpu {
            code,
            kernels: kernels.collect(),
            host: Box::new(host),
        })
    }

    /// Why an operation runs on the host; `None` where it runs on the device.
    pub fn why_on_host(&self, function: &HirFunction) -> Option<&str> {
        if self.code.jit.is_some() && self.code.bodies.contains_key(&function.name) {
            return None;
        }
        let refused = self.code.refused.get(&function.name);
        Some(refused.map_or("it was not lowered for a GPU", |one| &one.function.reason))
    }

    /// Runs an operation as [`Jit::run`] does, or a kernel, and says how many kernels it launched. On
    /// the device its tensors stay there.
    pub fn run<'p>(
        &self,
        interpreter: &mut Interpreter<'p, '_>,
        function: &HirFunction,
        values: &mut [Value<'p>],
    ) -> Result<(Value<'p>, u64), Failure> {
        match self.kernels.get(&function.name) {
            Some(kernel) => {
                let launches = kernel::launch(kernel, function, values, |values| {
                    self.run_body(interpreter, function, values)
                })?;
                Ok((Value::Void, launches))
            }
            None if self.why_on_host(function).is_some() => {
                self.run_body(interpreter, function, values)
            }
            None => match kernel::captured(values) {
                Some(mut arguments) => self.run_body(interpreter, function, &mut arguments),
                None => self.run_body(interpreter, function, values),
            },
        }
    }

    fn run_body<'p>(
        &self,
        interpreter: &mut Interpreter<'p, '_>,
        function: &HirFunction,
        values: &mut [Value<'p>],
    ) -> Result<(Value<'p>, u64), Failure> {
        let (Some(code), Some(body)) = (&self.code.jit, self.code.bodies.get(&function.name))
        else {
            for value in values.iter_mut() {
                *value = std::mem::replace(value, Value::Void).at_hand(function.span)?;
            }
            return Ok((self.host.run(interpreter, function, values)?, 0));
        };
        let failed = |error| fault(function, error);
        let held = body.parameters.iter().enumerate();
        let held = held.map(|(index, parameter)| hold(code, parameter, values.get_mut(index)));
        let held: Option<Vec<Held>> = held.collect::<Result<_, _>>().map_err(failed)?;
        let held = held.ok_or_else(|| misfit(function))?;
        let mut arguments: Vec<Argument<'_>> = held.iter().map(Held::argument).collect();
        let called = code.call(&body.symbol, &mut arguments);
        let usage = called.map_err(|error| match (self.kernels.get(&function.name), error) {
            (Some(kernel), RuntimeError::Device(DeviceError::Race { reason, race })) => {
                let tensors = held.iter().map(Held::tensor);
                kernel::raced(kernel, function, tensors, &race)
                    .unwrap_or_else(|| Fault::internal(Some(function.span), reason))
            }
            (_, error) => failed(error),
        })?;
        let mut results = Vec::new();
        for (index, held) in held.into_iter().enumerate() {
            match held {
                Held::Scalar(_) | Held::Operand(_) => {}
                Held::Target(tensor) => values[index] = Resident::value(tensor),
                Held::Result(tensor) => results.push(Resident::value(tensor)),
                Held::Status(word) => passed(function, body, word.read_status().map_err(failed)?)?,
            }
        }
        let value = match function.result {
            HirType::Tuple(_) => Value::Tuple(results),
            _ => results.into_iter().next().unwrap_or(Value::Void),
        };
        Ok((value, usage.launches))
    }
}

/// What a parameter is given, for as long as the body runs.
enum Held {
    Scalar(Scalar),
    Operand(Arc<DeviceTensor>),
    Target(DeviceTensor),
    Result(DeviceTensor),
    Status(DeviceTensor),
}

impl Held {
    fn tensor(&self) -> Option<&DeviceTensor> {
        match self {
            Held::Scalar(_) => None,
            Held::Operand(tensor) => Some(tensor),
            Held::Target(tensor) | Held::Result(tensor) | Held::Status(tensor) => Some(tensor),
        }
    }

    fn argument(&self) -> Argument<'_> {
        match self {
            Held::Scalar(scalar) => Argument::Scalar(*scalar),
            Held::Operand(tensor) => Argument::Device(tensor),
            Held::Target(tensor) | Held::Result(tensor) | Held::Status(tensor) => {
                Argument::Device(tensor)
            }
        }
    }
}

/// `None` where the value is not the parameter's.
fn hold(
    code: &GpuJit,
    parameter: &BodyParameter,
    value: Option<&mut Value<'_>>,
) -> Result<Option<Held>, RuntimeError> {
    let device = code.device();
    Ok(match (parameter, value) {
        (
            BodyParameter::Scalar(_)
            | BodyParameter::Position { .. }
            | BodyParameter::Captured { .. },
            Some(Value::Scalar(scalar)),
        ) => Some(Held::Scalar(*scalar)),
        (BodyParameter::Operand { .. }, Some(value)) => {
            on_device(device, value)?.map(Held::Operand)
        }
        (BodyParameter::Target { .. }, Some(value)) => {
            let value = std::mem::replace(value, Value::Void);
            moved_to_device(device, value)?.map(Held::Target)
        }
        (BodyParameter::Result { scalar, shape }, _) => {
            Some(Held::Result(DeviceTensor::empty(device, *scalar, shape)?))
        }
        (BodyParameter::Status, _) => Some(Held::Status(DeviceTensor::status(device)?)),
        (
            BodyParameter::Scalar(_)
            | BodyParameter::Position { .. }
            | BodyParameter::Operand { .. }
            | BodyParameter::Target { .. }
            | BodyParameter::Function { .. }
            | BodyParameter::Captured { .. }
            | BodyParameter::Threads,
            _,
        ) => None,
    })
}

fn misfit(function: &HirFunction) -> Fault {
    let text = format!("`{}` was called with another argument", function.name);
    Fault::internal(Some(function.span), text)
}

fn fault(function: &HirFunction, error: RuntimeError) -> Fault {
    match error {
        RuntimeError::Tensor(error) => out_of_memory(function, error),
        // What no memory holds fails as on the host.
        RuntimeError::Device(DeviceError::OutOfMemory { .. }) => {
            match memory::first_without(function) {
                Some(panic) => Fault::Panic(Box::new(panic)),
                None => device_fault(function.span, error),
            }
        }
        error => device_fault(function.span, error),
    }
}

/// The fault of what was asked of a device for what stands at `span`.
pub(super) fn device_fault(span: Span, error: RuntimeError) -> Fault {
    match error {
        RuntimeError::Device(
            error @ (DeviceError::Driver { .. }
            | DeviceError::Endless { .. }
            | DeviceError::Image { .. }
            | DeviceError::NoDevice { .. }
            | DeviceError::OutOfMemory { .. }),
        ) => Fault::failed(Some(span), error.to_string()),
        error => Fault::internal(Some(span), error.to_string()),
    }
}
