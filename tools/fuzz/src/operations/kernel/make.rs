//! How a kernel is made, and what is simpler than one.

use shared_types::ScalarType;

use super::element::{Leaf, Own, Position};
use super::statement::{Assignment, Bound, Condition, LOOPS, STEP, Statement};
use super::{CallForm, Guard, IN_KERNELS, Kernel};
use crate::generate::{Domain, Maker, Want};
use crate::operations::closure::{Closure, Scope, comparison};
use crate::operations::elementwise::OPERATORS;
use crate::operations::slice;
use crate::program::{Source, Type};

/// More elements than these take long where each is a thread.
const MOST_ELEMENTS: u64 = 3000;

/// No host's engine runs one.
pub fn make(maker: &mut Maker<'_>) -> Option<()> {
    if maker.domain == Domain::Host || maker.is_gpu() {
        return None;
    }
    let fits = |ty: &Type| IN_KERNELS(ty.scalar) && ty.rank() <= 4;
    let target = maker.tensor(|ty| fits(ty) && ty.elements() <= MOST_ELEMENTS)?;
    let ty = maker.type_of(target);
    let mut operands = vec![target];
    while operands.len() < 3 && maker.random.chance(25) {
        let scalar = scalar(maker);
        let other = Type {
            scalar,
            ..ty.clone()
        };
        operands.push(maker.of_type(&other, Want::Any));
    }
    let outputs = operands.len();
    let threads = threads(maker);
    let mut leaves: Vec<Leaf> = (0..threads.len()).map(Leaf::Thread).collect();
    leaves.extend((0..outputs).map(Leaf::Own));
    for _ in 0..maker.random.below(3) {
        let tensor = maker.tensor(|ty| fits(ty) && ty.elements() > 0)?;
        let at = operands.len();
        operands.push(tensor);
        for _ in 0..1 + maker.random.below(2) {
            let positions = positions(maker, &mut operands, tensor, threads.len());
            leaves.push(Leaf::Element(at, positions));
        }
    }
    for _ in 0..maker.random.below(3) {
        let scalar = match maker.random.chance(10) {
            true => ScalarType::Bool,
            false => scalar(maker),
        };
        leaves.push(Leaf::Scalar(operands.len()));
        operands.push(maker.scalar(scalar, Want::Any));
    }
    let call = match outputs == 1 && !operands[1..].contains(&target) && maker.random.chance(60) {
        true => CallForm::Direct,
        false => CallForm::Within(1 + maker.random.below(3) as u64),
    };
    let guard = guard(maker, ty.extents(), &threads);
    let signature = operands.iter().map(|&operand| maker.type_of(operand));
    let signature: Vec<(ScalarType, Option<usize>)> = signature
        .map(|ty| (ty.scalar, ty.shape.map(|shape| shape.len())))
        .collect();
    // Past the extents a cast might come to an element of another thread.
    let cast = match guard == Guard::Absent || maker.random.chance(70) {
        true => None,
        false => Some(
            maker
                .random
                .one(&[ScalarType::I32, ScalarType::U32, ScalarType::U64]),
        ),
    };
    let own = Own {
        mirrored: ty
            .extents()
            .iter()
            .map(|_| maker.random.chance(25))
            .collect(),
        cast,
    };
    let mut thread = Thread {
        scope: leaves.iter().map(|leaf| leaf.scalar(&signature)).collect(),
        outputs: signature[..outputs]
            .iter()
            .map(|(scalar, _)| *scalar)
            .collect(),
        locals: Vec::new(),
        axes: threads.len(),
        maker,
    };
    let locals: Vec<Closure> = (0..thread.maker.random.below(3))
        .map(|_| {
            let ty = scalar(thread.maker);
            thread.value(ty)
        })
        .collect();
    thread.locals = locals.iter().map(Closure::result).collect();
    thread.scope.extend(&thread.locals);
    let count = thread.maker.random.below(3);
    let mut body: Vec<Statement> = (0..count).map(|_| thread.statement(2)).collect();
    body.extend((0..outputs).map(|to| Statement::Write(thread.write(to))));
    let outputs_last = maker.random.chance(50);
    let kernel = Kernel {
        threads,
        outputs,
        signature,
        outputs_last,
        call,
        guard,
        own,
        leaves,
        locals,
        body,
    };
    maker.add(kernel, &operands)
}

/// The element type of something in a kernel.
fn scalar(maker: &mut Maker<'_>) -> ScalarType {
    let scalar = maker.scalar_type();
    match IN_KERNELS(scalar) {
        true => scalar,
        false => ScalarType::F32,
    }
}

/// A block shape.
fn threads(maker: &mut Maker<'_>) -> Vec<u64> {
    let rank = maker.random.weighted(&[(3, 1), (4, 2), (2, 3)]);
    let most = [64, 16, 8][rank - 1];
    let sizes = [1, 2, 3, 4, 5, 8, 16, 32, 33, 64].map(|size| size.min(most));
    (0..rank).map(|_| maker.random.one(&sizes)).collect()
}

/// None where blocks divide the extents, and seldom where they do not: a thread past them fails.
fn guard(maker: &mut Maker<'_>, extents: &[u64], threads: &[u64]) -> Guard {
    let mut sizes = extents.iter().zip(threads);
    let absent = match sizes.all(|(extent, threads)| extent % threads == 0) {
        true => 50,
        false => 8,
    };
    match maker.random.chance(absent) {
        true => Guard::Absent,
        false => maker.random.one(&[Guard::If, Guard::Return]),
    }
}

/// The index of an element that a thread reads, with the operands that it takes.
fn positions(
    maker: &mut Maker<'_>,
    operands: &mut Vec<Source>,
    tensor: Source,
    axes: usize,
) -> Vec<Position> {
    let extents = maker.type_of(tensor).extents().to_vec();
    let one = |extent: u64| match maker.random.below(8) {
        0 => Position::Literal(maker.random.below(extent as usize) as u64),
        1 => {
            operands.push(slice::position(maker, extent));
            Position::Scalar(operands.len() - 1)
        }
        _ => Position::Thread {
            axis: maker.random.below(axes),
            wraps: maker.random.chance(95),
        },
    };
    extents.into_iter().map(one).collect()
}

/// The code of a thread in the making.
struct Thread<'m, 'r> {
    maker: &'m mut Maker<'r>,
    /// The types of what its expressions may read.
    scope: Vec<ScalarType>,
    outputs: Vec<ScalarType>,
    locals: Vec<ScalarType>,
    /// Of the block shape.
    axes: usize,
}

impl Thread<'_, '_> {
    fn value(&mut self, ty: ScalarType) -> Closure {
        let scope = Scope {
            domain: self.maker.domain,
            parameters: Vec::new(),
            captures: self.scope.clone(),
        };
        Closure::make(self.maker.random, scope, ty, false)
    }

    fn condition(&mut self) -> Condition {
        let ty = self.maker.random.one(&self.scope);
        Condition {
            comparison: comparison(self.maker.random, ty),
            sides: [self.value(ty), self.value(ty)],
        }
    }

    fn write(&mut self, to: usize) -> Assignment {
        self.assignment(to, self.outputs[to])
    }

    fn assignment(&mut self, to: usize, ty: ScalarType) -> Assignment {
        let operator = match self.maker.random.chance(50) {
            true => "",
            false => self.maker.random.one(&OPERATORS),
        };
        let value = self.value(ty);
        Assignment {
            to,
            operator,
            value,
        }
    }

    /// With so many others around one another in it.
    fn statement(&mut self, depth: usize) -> Statement {
        match self.maker.random.below(if depth == 0 { 4 } else { 8 }) {
            0 => Statement::Return(self.condition()),
            1..4 => match self.locals.len() {
                0 => {
                    let to = self.maker.random.below(self.outputs.len());
                    Statement::Write(self.write(to))
                }
                count => {
                    let to = self.maker.random.below(count);
                    Statement::Local(self.assignment(to, self.locals[to]))
                }
            },
            4 | 5 => {
                let bound = match self.maker.random.chance(50) {
                    true => Bound::Times(self.maker.random.below(4) as u64),
                    false => Bound::Thread(self.maker.random.below(self.axes)),
                };
                let kind = self.maker.random.one(&LOOPS);
                self.scope.push(STEP);
                let body = Box::new(self.statement(depth - 1));
                self.scope.pop();
                Statement::Loop { kind, bound, body }
            }
            _ => Statement::Branch {
                condition: self.condition(),
                then: Box::new(self.statement(depth - 1)),
                otherwise: match self.maker.random.chance(50) {
                    true => Some(Box::new(self.statement(depth - 1))),
                    false => None,
                },
            },
        }
    }
}

/// The same by less.
pub(super) fn simpler(kernel: &Kernel) -> Vec<Kernel> {
    let mut simpler = Vec::new();
    let mut with = |change: &dyn Fn(&mut Kernel)| {
        let mut changed = kernel.clone();
        change(&mut changed);
        simpler.push(changed);
    };
    for at in 0..kernel.body.len() {
        with(&|kernel| drop(kernel.body.remove(at)));
    }
    for (at, statement) in kernel.body.iter().enumerate() {
        for statement in statement.simpler() {
            with(&|kernel| kernel.body[at] = statement.clone());
        }
    }
    for (at, value) in kernel.locals.iter().enumerate() {
        for value in value.simpler() {
            with(&|kernel| kernel.locals[at] = value.clone());
        }
    }
    if let CallForm::Within(2..) = kernel.call {
        with(&|kernel| kernel.call = CallForm::Within(1));
    }
    if kernel.outputs_last {
        with(&|kernel| kernel.outputs_last = false);
    }
    if kernel.own.cast.is_some() {
        with(&|kernel| kernel.own.cast = None);
    }
    if kernel.own.mirrored.contains(&true) {
        with(&|kernel| kernel.own.mirrored.fill(false));
    }
    if kernel.guard == Guard::Return {
        with(&|kernel| kernel.guard = Guard::If);
    }
    for at in 0..kernel.threads.len() {
        if kernel.threads[at] > 1 {
            with(&|kernel| kernel.threads[at] = 1);
        }
    }
    simpler
}
