//! Ill-formed HIR of every kind: no mutant of a well-formed operation panics, ends the process, or
//! fails more than its own body.

#[path = "support/operations.rs"]
mod operations;

use ast_types::BinaryOp;
use mlir_backend::{MlirError, lower_for_link, lower_program};
use neuro_hir::build::program;
use neuro_hir::{
    Extent, Fill, HirExpr, HirExprKind, HirFunction, HirType, SliceAxis, TensorOp, Tier,
};
use shared_types::{Literal, ScalarType};

/// The next of a fixed sequence of numbers, below `bound`.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % bound.max(1)
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    fn extent(&mut self) -> u64 {
        self.of(&[
            0,
            1,
            2,
            3,
            4,
            5,
            7,
            4097,
            1 << 20,
            1 << 31,
            1 << 40,
            1 << 62,
            u64::MAX,
        ])
    }
}

fn mutate_type(ty: &mut HirType, random: &mut Random) {
    let HirType::Tensor(tensor) = ty.clone() else {
        *ty = random.of(&ScalarType::ALL).into();
        return;
    };
    let mut tensor = tensor;
    match random.below(5) {
        0 => tensor.element = Box::new(random.of(&ScalarType::ALL).into()),
        1 if tensor.rank() > 0 => {
            let axis = random.below(tensor.rank());
            tensor.axes[axis].extent = Extent::Static(random.extent());
        }
        2 if tensor.rank() > 0 => {
            let axis = random.below(tensor.rank());
            tensor.axes[axis].extent = Extent::Dynamic;
        }
        3 if tensor.rank() > 0 => {
            let axis = random.below(tensor.rank());
            tensor.axes.remove(axis);
        }
        _ => {
            *ty = HirType::Scalar(random.of(&ScalarType::ALL));
            return;
        }
    }
    *ty = tensor.into();
}

/// Changes something in the expression or below it.
fn mutate(expr: &mut HirExpr, random: &mut Random) {
    let deeper = random.below(3) > 0;
    match &mut expr.kind {
        HirExprKind::Unary { operand, .. } | HirExprKind::Math { operand, .. } if deeper => {
            mutate(operand, random)
        }
        HirExprKind::Binary { op, left, right } if deeper => match random.below(3) {
            0 => mutate(left, random),
            1 => mutate(right, random),
            _ => *op = random.of(&[BinaryOp::Eq, BinaryOp::MatMul, BinaryOp::And, BinaryOp::Rem]),
        },
        HirExprKind::Pow { base, exponent } if deeper => match random.below(2) {
            0 => mutate(base, random),
            _ => mutate(exponent, random),
        },
        HirExprKind::Literal(value) if deeper => {
            *value = match random.below(3) {
                0 => Literal::Integer(i128::MAX),
                1 => Literal::Float(f64::NAN),
                _ => Literal::Char('x'),
            };
        }
        HirExprKind::Tensor(op) if deeper => mutate_op(op, random),
        _ => mutate_type(&mut expr.ty, random),
    }
}

fn mutate_op(op: &mut TensorOp, random: &mut Random) {
    let position = random.of(&[0, 1, 2, 9, usize::MAX]);
    match op {
        TensorOp::Fill(fill) => *fill = random.of(&[Fill::Identity, Fill::Ones]),
        TensorOp::Slice { tensor, axes } => match random.below(4) {
            0 => mutate(tensor, random),
            1 => drop(axes.pop()),
            _ => {
                let at = random.below(axes.len());
                if let Some(axis) = axes.get_mut(at) {
                    *axis = SliceAxis::Range {
                        start: random.extent(),
                        extent: random.extent(),
                        reversed: random.below(2) == 0,
                    };
                }
            }
        },
        TensorOp::Permute { operand, axes } => match random.below(3) {
            0 => mutate(operand, random),
            1 => axes.push(position),
            _ => axes.iter_mut().take(1).for_each(|axis| *axis = position),
        },
        TensorOp::Reduce { operand, axis, .. } => match random.below(3) {
            0 => mutate(operand, random),
            1 => *axis = None,
            _ => *axis = Some(position),
        },
        TensorOp::Sort { operand, axis, .. } | TensorOp::ArgSort { operand, axis, .. } => {
            match random.below(2) {
                0 => mutate(operand, random),
                _ => *axis = position,
            }
        }
        TensorOp::TopK { operand, axis, k } => match random.below(3) {
            0 => mutate(operand, random),
            1 => *axis = position,
            _ => *k = random.extent(),
        },
        TensorOp::Einsum(einsum) => match random.below(4) {
            0 => einsum.output.push(random.of(&['i', 'j', 'z'])),
            1 => drop(einsum.output.pop()),
            2 => drop(einsum.inputs.pop()),
            _ => drop(einsum.operands.pop()),
        },
        TensorOp::Reshape(operand) | TensorOp::Clone(operand) | TensorOp::Scalar(operand) => {
            mutate(operand, random);
        }
        _ => {}
    }
}

#[test]
fn no_mutant_panics_or_fails_more_than_its_body() {
    let mut random = Random(1);
    let operations = operations::every_operation();
    let (mut made, mut linked) = (0, 0);
    for round in 0..20 {
        let mut mutant = |at| {
            let mut mutant = operations[random.below(operations.len())].clone();
            mutant.name = format!("mutant{at}");
            if let Some(value) = &mut mutant.body.value {
                mutate(value, &mut random);
                if random.below(3) > 0 {
                    mutant.result = value.ty.clone();
                }
            }
            mutant
        };
        let mutants: Vec<HirFunction> = (0..50).map(&mut mutant).collect();
        for mutant in &mutants {
            // Only a type in its signature fails a program, which declares everything.
            let program = program(Tier::Checked, [mutant.clone()]);
            if let Err(error) = lower_program(&program) {
                let is_type = matches!(error, MlirError::UnsupportedType { .. });
                assert!(is_type, "{error}\n{program}");
            }
        }
        let tier = [Tier::Checked, Tier::Wrapping][round % 2];
        let program = program(tier, mutants);
        match lower_for_link(&program) {
            Ok(bodies) => linked += bodies.bodies.len(),
            Err(error) => panic!("{error}\n{program}"),
        }
        made += 50;
    }
    assert!(linked > made / 10 && linked < made, "{linked} of {made}");
}
