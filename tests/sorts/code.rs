//! Sorts as compiled code.

use mlir_backend::internal::{self, LinkOptions, SortForm};
use neuro_hir::build::{operation, program, tensor};
use neuro_hir::{HirFunction, HirType, TensorOp, TensorType, Tier};
use runtime::{Argument, Jit, Parameter, Signature};
use shared_types::ScalarType;
use tensor::Tensor;

#[derive(Clone, Debug)]
pub struct Sort {
    pub scalar: ScalarType,
    pub shape: Vec<u64>,
    pub axis: usize,
    pub descending: bool,
    pub wanted: Wanted,
}

#[derive(Clone, Copy, Debug)]
pub enum Wanted {
    Elements,
    Positions,
    /// So many first ones, and their positions; descending.
    Top(u64),
}

impl Sort {
    /// The types of what it gives.
    pub fn results(&self) -> Vec<(ScalarType, Vec<u64>)> {
        let elements = (self.scalar, self.shape.clone());
        match self.wanted {
            Wanted::Elements => vec![elements],
            Wanted::Positions => vec![(ScalarType::I32, self.shape.clone())],
            Wanted::Top(k) => {
                let mut shape = self.shape.clone();
                shape[self.axis] = k;
                vec![(self.scalar, shape.clone()), (ScalarType::I32, shape)]
            }
        }
    }

    fn function(&self, name: &str) -> HirFunction {
        let operand = TensorType::new(self.scalar, &self.shape);
        let results = self.results();
        let mut results = results
            .iter()
            .map(|(scalar, shape)| HirType::from(TensorType::new(*scalar, shape)));
        let (axis, descending) = (self.axis, self.descending);
        operation(name, [operand.into()], |[operand]| {
            let operand = Box::new(operand);
            let (op, ty) = match self.wanted {
                Wanted::Elements => {
                    let op = TensorOp::Sort {
                        operand,
                        axis,
                        descending,
                    };
                    (op, results.next().unwrap())
                }
                Wanted::Positions => {
                    let op = TensorOp::ArgSort {
                        operand,
                        axis,
                        descending,
                    };
                    (op, results.next().unwrap())
                }
                Wanted::Top(k) => {
                    let op = TensorOp::TopK { operand, axis, k };
                    (op, HirType::Tuple(results.collect()))
                }
            };
            tensor(op, ty)
        })
    }
}

/// Sorts that share a module.
pub struct Code(Jit);

impl Code {
    pub fn compile(sorts: &[Sort], form: SortForm) -> Code {
        let functions = (0..).zip(sorts);
        let functions = functions.map(|(index, sort)| sort.function(&format!("sort{index}")));
        let program = program(Tier::Checked, functions);
        let options = LinkOptions {
            sorts: form,
            ..LinkOptions::default()
        };
        let linked = internal::link(&program, &options).unwrap();
        assert_eq!(linked.bodies.len(), sorts.len(), "some are refused");
        let signatures = (0..).zip(sorts).map(|(index, sort)| {
            let results = sort.results().into_iter();
            let results = results.map(|(scalar, shape)| Parameter::Result(scalar, shape));
            let operand = Parameter::Operand(sort.scalar, sort.shape.clone());
            Signature {
                symbol: symbol(index),
                parameters: std::iter::once(operand).chain(results).collect(),
            }
        });
        let signatures: Vec<Signature> = signatures.collect();
        Code(Jit::load(&linked.llvm_ir, &signatures).unwrap())
    }

    /// Runs the sort of that index.
    pub fn run(&self, index: usize, sort: &Sort, operand: &Tensor) -> Vec<Tensor> {
        let results = sort.results().into_iter();
        let mut results: Vec<Tensor> = results
            .map(|(scalar, shape)| Tensor::zeros(scalar, &shape).unwrap())
            .collect();
        let mut arguments = vec![Argument::Operand(operand)];
        arguments.extend(results.iter_mut().map(Argument::Result));
        self.0.call(&symbol(index), &mut arguments).unwrap();
        results
    }
}

fn symbol(index: usize) -> String {
    format!("__neuro_mlir_sort{index}")
}
