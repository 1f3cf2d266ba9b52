use std::sync::Arc;

use gpu_emulator::{EmulatedDevice, Options};
use interpreter::{Interpreter, Value};
use mlir_backend::internal::{self, Chip, Failures, Form, GpuOptions, Vendor};
use neuro_hir::{HirFunction, HirProgram};
use runtime::{Device, Watched};
use serde_json::json;
use shared_types::SourceMap;
use tensor::Tensor;

use super::answered::Answered;
use super::parameters;
use super::recorder::Recorder;
use super::store::Store;
use crate::engine::{Engine, Gpu, Jit, Silent};
use crate::output::tensor_of;
use crate::{Fault, arguments, left_out};

/// The oldest chip whose PTX every driver of today takes.
const CHIP: &str = "sm_75";

/// A function that is called with random arguments.
pub struct Case<'p> {
    pub name: String,
    pub program: &'p HirProgram,
    pub function: &'p HirFunction,
    pub seed: u64,
    /// Where its operations are, for those that have no kernels.
    pub sources: &'p SourceMap,
}

impl Case<'_> {
    /// The case with what the emulated device answers; `None` where it launches nothing.
    pub fn emulated(&self, store: &Store) -> Result<Option<serde_json::Value>, Fault> {
        let options = Options {
            checked: true,
            ..Options::new(gpu_emulator::Vendor::Nvidia)
        };
        let device = EmulatedDevice::new(options);
        let device = device.map_err(|error| Fault::failed(None, error.to_string()))?;
        self.record(Arc::new(device), store)
    }

    /// The case with what the JIT answers.
    pub fn answered(&self, store: &Store) -> Result<Option<serde_json::Value>, Fault> {
        let jit = Jit::compile(self.program, [self.function.name.as_str()])?;
        let answer = self.call(Engine::Jit(jit))?;
        self.record(Arc::new(Answered::new(tensor_of(answer)?)), store)
    }

    /// The argument of a parameter.
    pub fn argument(&self, parameter: &str) -> Result<Tensor, Fault> {
        let given = self.function.parameters().iter().zip(self.arguments()?);
        let mut given = given.filter(|(local, _)| local.name == parameter);
        match given.next() {
            Some((_, value)) => tensor_of(value),
            None => Err(Fault::internal(None, format!("no parameter `{parameter}`"))),
        }
    }

    fn arguments<'v>(&self) -> Result<Vec<Value<'v>>, Fault> {
        let random = format!("random:{}", self.seed);
        let parameters = self.function.parameters().iter();
        let given: Vec<(String, String)> = parameters
            .map(|parameter| (parameter.name.clone(), random.clone()))
            .collect();
        arguments::read(self.function, &given)
    }

    fn call(&self, engine: Engine) -> Result<Value<'_>, Fault> {
        let host = Silent(engine);
        let mut arguments = self.arguments()?;
        Ok(Interpreter::new(self.program, &host).call(self.function, &mut arguments)?)
    }

    fn record(
        &self,
        device: Arc<dyn Device>,
        store: &Store,
    ) -> Result<Option<serde_json::Value>, Fault> {
        let entry = self.function.name.as_str();
        let reachable = self.program.reachable_from([entry]);
        let chip = Chip::find(Vendor::Nvidia, CHIP).map_err(|error| Fault::of_backend(&error))?;
        let takes = |function: &HirFunction| reachable.contains(function.name.as_str());
        let options = |form| GpuOptions {
            takes: &takes,
            chip,
            form,
            math: None,
            failures: Failures::Report,
        };
        let link = |form| {
            let linked = internal::link_gpu(self.program, &options(form));
            linked.map_err(|error| Fault::of_backend(&error))
        };
        let native = link(Form::Native)?;
        left_out::report_refused(&native.refused, "GPU ", self.sources);
        let ptx = String::from_utf8_lossy(&native.binary);
        let ptx = ptx.trim_end_matches('\0');
        if ptx.is_empty() {
            return Ok(None);
        }
        let kernels = parameters::of(ptx)
            .ok_or_else(|| Fault::internal(Some(self.function.span), "PTX of another form"))?;
        let recorder = Recorder::new(link(Form::Bitcode)?.binary, kernels, store.clone());
        let watched = Arc::new(Watched::new(device, recorder));
        let gpu = Gpu::compile(
            self.program,
            [entry],
            options(Form::Bitcode),
            watched.clone(),
        )?;
        match self.call(Engine::Gpu("emulated-nvidia", gpu)) {
            // What was launched before a panic, and the status word, are as good.
            Ok(_) | Err(Fault::Panic(_)) => {}
            Err(fault) => return Err(fault),
        }
        let Some(steps) = watched.watch().steps() else {
            return Ok(None);
        };
        let file = format!("{}.ptx", self.name);
        store.write(&file, ptx.as_bytes())?;
        Ok(Some(
            json!({ "name": self.name, "ptx": file, "steps": steps }),
        ))
    }
}
