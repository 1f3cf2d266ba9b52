//! Our side: the one tensor operation of a `.nr` source, compiled as the driver does it, on random operands.

use std::error::Error;
use std::time::Duration;

use frontend::Options;
use mlir_backend::internal::{self, LinkOptions, Target};
use neuro_hir::{HirProgram, HirType, TensorType, Tier};
use runtime::{Argument, Jit, Parameter, Signature};
use shared_types::{SourceFile, SourceMap};
use tensor::{Scalar, Tensor};

use crate::clock::timed;

const NOTHING_FAILED: u64 = u64::MAX;

/// A compiled operation with its operands, and results that every run writes again.
pub struct Operation {
    jit: Jit,
    symbol: String,
    operands: Vec<Operand>,
    is_checked: bool,
    results: Vec<Tensor>,
}

struct Operand {
    name: String,
    value: Value,
}

enum Value {
    Scalar(Scalar),
    Tensor(Tensor),
    /// Of a `&mut` parameter.
    Target(Tensor),
}

impl Operation {
    /// `source` is one function whose body is one operation. Its operands are `random:1`.
    pub fn compile(source: &str, tier: Tier) -> Result<Operation, Box<dyn Error>> {
        let program = front_end(source, tier)?;
        let options = LinkOptions {
            target: Target::native(),
            ..LinkOptions::default()
        };
        let linked = internal::link(&program, &options)?;
        let [body] = linked.bodies.as_slice() else {
            return Err(format!("not one operation: {source}").into());
        };
        let function = program
            .function(&body.function)
            .ok_or("a body of no function")?;
        let is_checked = !body.checks.is_empty();

        let mut operands = Vec::new();
        for parameter in function.parameters() {
            let (name, ty) = (parameter.name.clone(), &parameter.ty);
            let value = match (shape_of(ty), ty.as_scalar()) {
                (Some((scalar, shape)), _) => {
                    let tensor = tensor::random(1, &name, scalar, &shape)?;
                    match ty {
                        HirType::Reference { mutable: true, .. } => Value::Target(tensor),
                        _ => Value::Tensor(tensor),
                    }
                }
                (None, Some(scalar)) => {
                    Value::Scalar(tensor::random(1, &name, scalar, &[])?.get(0)?)
                }
                (None, None) => return Err(format!("a parameter of type `{ty}`").into()),
            };
            operands.push(Operand { name, value });
        }
        let types = match &function.result {
            HirType::Void => &[],
            HirType::Tuple(members) => members.as_slice(),
            result => std::slice::from_ref(result),
        };
        let mut results = Vec::new();
        for ty in types {
            let (scalar, shape) = shape_of(ty).ok_or("a result that is no tensor")?;
            results.push(Tensor::zeros(scalar, &shape)?);
        }

        let mut parameters: Vec<Parameter> = operands.iter().map(Operand::parameter).collect();
        parameters.extend(is_checked.then_some(Parameter::Status));
        parameters.extend(results.iter().map(result_parameter));
        let symbol = body.symbol.clone();
        let signature = Signature {
            symbol: symbol.clone(),
            parameters,
        };
        Ok(Operation {
            jit: Jit::load(&linked.llvm_ir, &[signature])?,
            symbol,
            operands,
            is_checked,
            results,
        })
    }

    /// The operands that are tensors, by their parameter's name.
    pub fn operands(&self) -> impl Iterator<Item = (&str, &Tensor)> {
        self.operands
            .iter()
            .filter_map(|operand| match &operand.value {
                Value::Tensor(tensor) | Value::Target(tensor) => {
                    Some((operand.name.as_str(), tensor))
                }
                Value::Scalar(_) => None,
            })
    }

    /// Changes the contents of the operands that are tensors.
    pub fn map_operands<E>(
        &mut self,
        mut change: impl FnMut(&mut Tensor) -> Result<(), E>,
    ) -> Result<(), E> {
        self.operands
            .iter_mut()
            .try_for_each(|operand| match &mut operand.value {
                Value::Tensor(tensor) | Value::Target(tensor) => change(tensor),
                Value::Scalar(_) => Ok(()),
            })
    }

    pub fn results(&self) -> &[Tensor] {
        &self.results
    }

    /// Runs the operation `times` times, and gives the CPU time of all; a failed check is an error.
    pub fn run(&mut self, times: u32) -> Result<Duration, Box<dyn Error>> {
        let mut status = NOTHING_FAILED;
        let mut arguments: Vec<Argument> = Vec::new();
        for operand in &mut self.operands {
            arguments.push(match &mut operand.value {
                Value::Scalar(scalar) => Argument::Scalar(*scalar),
                Value::Tensor(tensor) => Argument::Operand(tensor),
                Value::Target(tensor) => Argument::Result(tensor),
            });
        }
        if self.is_checked {
            arguments.push(Argument::Status(&mut status));
        }
        arguments.extend(self.results.iter_mut().map(Argument::Result));
        let (time, done) = self.jit.calls(&self.symbol, &mut arguments, |call| {
            timed(|| (0..times).try_for_each(|_| call()))
        })?;
        done?;
        drop(arguments);
        match status {
            NOTHING_FAILED => Ok(time),
            _ => Err(format!("a check failed, status {status:#x}").into()),
        }
    }
}

impl Operand {
    fn parameter(&self) -> Parameter {
        match &self.value {
            Value::Scalar(scalar) => Parameter::Scalar(scalar.ty()),
            Value::Tensor(tensor) => {
                Parameter::Operand(tensor.scalar_type(), tensor.shape().to_vec())
            }
            Value::Target(tensor) => result_parameter(tensor),
        }
    }
}

fn result_parameter(tensor: &Tensor) -> Parameter {
    Parameter::Result(tensor.scalar_type(), tensor.shape().to_vec())
}

fn shape_of(ty: &HirType) -> Option<(shared_types::ScalarType, Vec<u64>)> {
    let tensor: &TensorType = ty.as_tensor()?;
    Some((tensor.scalar()?, tensor.static_extents()?))
}

fn front_end(source: &str, tier: Tier) -> Result<HirProgram, Box<dyn Error>> {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("benchmark.nr", source));
    let options = Options {
        tier,
        on_device: false,
    };
    frontend::compile(&sources, file, options).map_err(|faults| {
        let faults: Vec<String> = faults.iter().map(|fault| fault.message.clone()).collect();
        format!("{source}: {}", faults.join("; ")).into()
    })
}
