//! Traversals: `.map` and `.zip` are a thread an element, which runs the traversal's function in
//! place; `.reduce` is one thread in the host's order (backend specification, §`@kernel` functions).

use ast_types::BinaryOp;
use mlir_gpu::Chip;
use mlir_lowering::{Body as LinkedBody, BodyParameter, Check, CheckKind, IterationSpace};
use mlir_pipeline::NotLowered;
use neuro_hir::{
    HirExpr, HirExprKind, HirFunction, HirNode, HirProgram, HirStatementKind, LocalId, TensorOp,
};
use shared_types::{ScalarType, Span};

use crate::body::{Body, Written, computed, refused, static_extents};
use crate::callee::Callee;
use crate::check::{Fault, KernelCheck, MOST_THREADS};
use crate::fail::Failing;
use crate::grid::Grid;
use crate::host::{Host, linked};
use crate::kernel::constants;
use crate::place::{Buffer, Place};
use crate::text::{Value, type_name};

/// Whether a traversal stands in the function.
pub fn traverses(function: &HirFunction) -> bool {
    let mut nodes = HirNode::from(&function.body).descendants();
    nodes.any(|node| match node {
        HirNode::Expr(expr) => Traversed::by(expr).is_some(),
        HirNode::Statement(_) | HirNode::Block(_) => false,
    })
}

/// A function that is one traversal of its parameters, as a `func.func` that launches it, and what
/// that is. In the place of a function among its parameters it takes the scalars which that has
/// captured, in order: the function itself is the one that the only call passes.
///
/// # Errors
/// What of it has no form, and where that stands.
pub fn traversal(
    program: &HirProgram,
    function: &HirFunction,
    symbol: String,
    chip: Chip,
) -> Result<(String, LinkedBody), NotLowered> {
    host_function(program, function, symbol, chip).map_err(|refused| refused.of(function))
}

const AMONG_OTHERS: &str = "a traversal among other operations";

/// What a traversal walks, and with what.
struct Traversed<'p> {
    operands: Vec<&'p HirExpr>,
    /// Of a `.reduce`.
    initial: Option<&'p HirExpr>,
    function: &'p HirExpr,
    span: Span,
}

impl<'p> Traversed<'p> {
    /// What a function does that does nothing else.
    fn of(function: &'p HirFunction) -> Written<Self> {
        let value = match (&function.body.statements[..], &function.body.value) {
            ([], Some(value)) => Some(&**value),
            ([only], None) => match &only.kind {
                HirStatementKind::Return(value) => value.as_ref(),
                _ => None,
            },
            _ => None,
        };
        match value.and_then(Traversed::by) {
            Some(traversed) => Ok(traversed),
            None => refused(function.body.span, AMONG_OTHERS),
        }
    }

    fn by(expr: &'p HirExpr) -> Option<Self> {
        let HirExprKind::Tensor(op) = &expr.kind else {
            return None;
        };
        let (operands, initial, function) = match op {
            TensorOp::Map { operand, function } => (vec![&**operand], None, function),
            TensorOp::Zip {
                left,
                right,
                function,
            } => (vec![&**left, &**right], None, function),
            TensorOp::Fold {
                operand,
                initial,
                function,
            } => (vec![&**operand], Some(&**initial), function),
            _ => return None,
        };
        Some(Traversed {
            operands,
            initial,
            function,
            span: expr.span,
        })
    }
}

fn host_function(
    program: &HirProgram,
    function: &HirFunction,
    symbol: String,
    chip: Chip,
) -> Written<(String, LinkedBody)> {
    let traversed = Traversed::of(function)?;
    let span = traversed.span;
    let callee = Callee::of(program, function, traversed.function)?;
    let constants = constants(program);
    let mut body = Body::new(callee.owner, &constants, program.tier, Failing::Status);
    let mut host = Host::new(function.span);
    let taken = parameters(function, &callee, &mut host, &mut body, span)?;

    let mut operands = Vec::new();
    for operand in &traversed.operands {
        match taken.of(operand)? {
            Taken::Buffer(buffer) => operands.push(buffer.clone()),
            Taken::Scalar(_) => return refused(operand.span, "a traversal of a scalar"),
        }
    }
    let Some(result) = function.result.as_tensor() else {
        return refused(function.span, "a traversal without a tensor to give");
    };
    let (scalar, extents) = static_extents(result, function.span)?;
    let out = Buffer {
        name: "%out".to_string(),
        scalar,
        extents,
        writable: true,
    };
    let walked = operands[0].extents.clone();
    let count: u64 = walked.iter().product();
    let agree = operands.iter().all(|operand| operand.extents == walked);
    let fits = match traversed.initial {
        None => out.extents == walked,
        Some(_) => out.extents.is_empty(),
    };
    if !agree || !fits || scalar != callee.result || count > MOST_THREADS {
        return refused(span, "a traversal of these shapes and types");
    }
    if let Some(initial) = traversed.initial {
        let Taken::Scalar(initial) = taken.of(initial)? else {
            return refused(initial.span, "a tensor to begin with");
        };
        let elements = match count {
            0 => None,
            _ => Some(host.flat(&operands[0])),
        };
        let fold = Fold {
            callee: &callee,
            initial,
            out: &out,
            span,
        };
        host.launch(&mut body, &Grid::single(), |body| {
            fold.write(body, elements.as_ref())
        })?;
    } else if let Some(grid) =
        Grid::over(&[count], &[MAP_THREADS], chip).or_else(|reason| refused(span, reason))?
    {
        let elements: Vec<Buffer> = operands.iter().map(|operand| host.flat(operand)).collect();
        let out = host.flat(&out);
        let map = Map {
            callee: &callee,
            elements,
            out,
            span,
        };
        host.launch(&mut body, &grid, |body| map.write(body))?;
    }
    let checks = checks(&body.checks)?;
    if !checks.is_empty()
        && let Some((name, ty)) = Failing::Status.word()
    {
        host.takes(name, &ty, BodyParameter::Status);
    }
    let shape = out.extents.clone();
    host.takes("%out", &out.ty(), BodyParameter::Result { scalar, shape });
    let text = host.text(&symbol)?;
    let body = LinkedBody {
        function: function.name.clone(),
        symbol,
        parameters: host.parameters,
        checks,
        // What fails is an operation of scalars: it has no element.
        spaces: vec![IterationSpace {
            result: Vec::new(),
            folded: walked,
        }],
        contractions: Vec::new(),
        traversals: Vec::new(),
        function_pointers: Vec::new(),
        has_result: true,
    };
    Ok((text, body))
}

/// The threads of a block.
const MAP_THREADS: u64 = 256;

/// What the text has for each parameter of the function that traverses; nothing for a function.
struct Parameters(Vec<Option<Taken>>);

enum Taken {
    Buffer(Buffer),
    Scalar(Value),
}

impl Parameters {
    fn of(&self, expr: &HirExpr) -> Written<&Taken> {
        let index = match &expr.kind {
            HirExprKind::Local(LocalId(index)) => *index as usize,
            HirExprKind::Borrow { operand, .. } => return self.of(operand),
            _ => return refused(expr.span, "a traversal of other than parameters"),
        };
        match self.0.get(index) {
            Some(Some(taken)) => Ok(taken),
            _ => refused(expr.span, "a traversal of other than parameters"),
        }
    }
}

/// Takes the function's parameters, and binds what the callee captures.
fn parameters(
    function: &HirFunction,
    callee: &Callee<'_>,
    host: &mut Host,
    body: &mut Body<'_>,
    span: Span,
) -> Written<Parameters> {
    let mut taken = Vec::new();
    for (index, parameter) in linked(function)?.into_iter().enumerate() {
        let declared = &function.locals[index];
        let name = format!("%p{index}");
        let passes = callee.passed == Some(index);
        taken.push(match (&parameter, declared.ty.as_tensor()) {
            (BodyParameter::Function { .. }, _) if passes => {
                for (number, &capture) in callee.captures.iter().enumerate() {
                    let scalar = callee.scalar(capture, span)?;
                    let name = format!("%c{number}");
                    host.takes(&name, type_name(scalar), BodyParameter::Scalar(scalar));
                    body.set(capture, &Value { name, scalar }, span)?;
                }
                None
            }
            (BodyParameter::Function { .. }, _) => return refused(span, AMONG_OTHERS),
            (BodyParameter::Operand { .. }, Some(tensor)) => {
                let (scalar, extents) = static_extents(tensor, declared.span)?;
                let buffer = Buffer {
                    name,
                    scalar,
                    extents,
                    writable: false,
                };
                host.takes(&buffer.name, &buffer.ty(), parameter);
                Some(Taken::Buffer(buffer))
            }
            (BodyParameter::Scalar(_), _) => {
                let scalar = computed(&declared.ty, declared.span)?;
                host.takes(&name, type_name(scalar), parameter);
                let value = Value { name, scalar };
                let local = LocalId(index as u32);
                if callee.passed.is_none() && callee.captures.contains(&local) {
                    body.set(local, &value, span)?;
                }
                Some(Taken::Scalar(value))
            }
            _ => {
                return refused(
                    declared.span,
                    format!("a parameter of type `{}`", declared.ty),
                );
            }
        });
    }
    Ok(Parameters(taken))
}

/// A thread an element.
struct Map<'m, 'p> {
    callee: &'m Callee<'p>,
    elements: Vec<Buffer>,
    out: Buffer,
    span: Span,
}

impl Map<'_, '_> {
    fn write(&self, body: &mut Body<'_>) -> Written<()> {
        let span = self.span;
        let number = Value {
            name: body.position.number.clone(),
            scalar: ScalarType::U64,
        };
        let count = body.constant(span, ScalarType::U64, self.out.extents[0].into());
        let within = body.compare(BinaryOp::Lt, &number, &count, span)?;
        let inside = body.text.label();
        let end = body.end.clone();
        body.branch(span, &within, &inside, &end);
        body.come_to(&inside, false);
        let at = body.index(&number, span);
        let arguments: Vec<Value> = self
            .elements
            .iter()
            .map(|buffer| body.read(&element(buffer, &at), span))
            .collect();
        let value = body.apply(self.callee, &arguments, span)?;
        body.write(&element(&self.out, &at), &value, span)
    }
}

/// One thread, from the first element to the last.
struct Fold<'m, 'p> {
    callee: &'m Callee<'p>,
    initial: &'m Value,
    out: &'m Buffer,
    span: Span,
}

impl Fold<'_, '_> {
    fn write(&self, body: &mut Body<'_>, elements: Option<&Buffer>) -> Written<()> {
        let span = self.span;
        let accumulator = body.slot(self.initial.scalar, span);
        body.store(self.initial, &accumulator, span);
        if let Some(elements) = elements {
            let count = elements.extents[0];
            body.count(count, span, |body, position| {
                let at = body.index(position, span);
                let accumulated = body.load(&accumulator, self.initial.scalar, span);
                let x = body.read(&element(elements, &at), span);
                let value = body.apply(self.callee, &[accumulated, x], span)?;
                body.store(&value, &accumulator, span);
                Ok(())
            })?;
        }
        let value = body.load(&accumulator, self.initial.scalar, span);
        let place = Place::Element {
            buffer: self.out.clone(),
            indices: Vec::new(),
        };
        body.write(&place, &value, span)
    }
}

fn element(buffer: &Buffer, at: &str) -> Place {
    Place::Element {
        buffer: buffer.clone(),
        indices: vec![at.to_string()],
    }
}

/// The checks as those of a body with a status word.
fn checks(checks: &[KernelCheck]) -> Written<Vec<Check>> {
    let mut all = Vec::new();
    for check in checks {
        let (operator, kind) = match check.fault {
            Fault::Overflow(operator) => (operator, CheckKind::Overflow),
            Fault::ZeroDivisor(operator) => (operator, CheckKind::ZeroDivisor),
            Fault::Index { .. } => return refused(check.span, "an index in a traversal"),
        };
        all.push(Check {
            operation: 0,
            operator,
            kind,
            span: check.span,
        });
    }
    Ok(all)
}
