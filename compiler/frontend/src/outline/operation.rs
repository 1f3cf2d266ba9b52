use std::collections::{BTreeMap, BTreeSet};

use ast_types::BinaryOp;
use neuro_hir::{
    Callee, FunctionTarget, HirBlock, HirExpr, HirExprKind, HirFunction, HirLocal, HirPattern,
    HirStatement, HirStatementKind, HirType, LocalId, TensorOp,
};
use shared_types::{ScalarType, Span};

use super::absorb::read_local;
use super::effects::keeps_its_place;
use super::run::{Operand, for_each_leaf, is_operation, is_root, operation_of, placeholder};
use super::whole::bind_tensor;
use crate::place::{Place, Step};

/// A function that is made of an expression and the bindings that go with it.
pub(super) struct Operation<'h> {
    /// The locals of the host function.
    host: &'h [HirLocal],
    bindings: Vec<HirStatement>,
    /// What the bindings bind, by its id in the host.
    bound: BTreeSet<LocalId>,
    arguments: Vec<Argument>,
    /// What each leaf is, in the order in which they are met.
    leaves: Vec<Leaf>,
    next_handle: usize,
}

struct Argument {
    handle: usize,
    /// The place that it reads, which needs no second argument.
    place: Option<Place>,
    value: HirExpr,
}

enum Leaf {
    Argument(usize),
    Bound(LocalId),
}

/// The function, and what stands for the expression: a call.
pub(super) struct Outlined {
    pub function: HirFunction,
    pub call: HirExpr,
}

impl<'h> Operation<'h> {
    pub fn new(host: &'h [HirLocal], bindings: Vec<HirStatement>) -> Self {
        let bound = bindings.iter().flat_map(|binding| match &binding.kind {
            HirStatementKind::Bind { pattern, .. } => pattern_locals(pattern),
            _ => &[],
        });
        Operation {
            host,
            bound: bound.copied().collect(),
            bindings,
            arguments: Vec::new(),
            leaves: Vec::new(),
            next_handle: 0,
        }
    }

    /// Makes a function of a root.
    pub fn value(mut self, name: String, target: FunctionTarget, mut root: HirExpr) -> Outlined {
        let reads_element = !is_operation(&root);
        let (ty, span) = (root.ty.clone(), root.span);
        let mut operation = std::mem::replace(operation_of(&mut root), placeholder());
        let shallow = keeps_its_place(&mut operation);
        self.take_bindings();
        self.take_leaves(&mut operation, shallow);
        let mut function = self.function(name, target, span);
        let leaves = std::mem::take(&mut self.leaves);
        let mut leaves = leaves.iter();
        let locals = self.bind(&mut function, &mut leaves);
        self.put_leaves(&mut operation, shallow, &mut leaves, &locals, &function);
        function.result = operation.ty.clone();
        function.body.value = Some(Box::new(operation));
        let call = self.call(&function, span);
        let call = if reads_element {
            let element = TensorOp::Element {
                tensor: Box::new(call),
                indices: Vec::new(),
            };
            let kind = HirExprKind::Tensor(element);
            HirExpr { kind, ty, span }
        } else {
            call
        };
        Outlined { function, call }
    }

    /// Makes a function of `place op= value` on a whole tensor.
    pub fn compound_assign(
        mut self,
        name: String,
        target: FunctionTarget,
        (op, place, mut value): (BinaryOp, HirExpr, HirExpr),
        span: Span,
    ) -> Outlined {
        if is_root(&value) {
            value = std::mem::replace(operation_of(&mut value), placeholder());
        }
        // What a scalar expression takes stays its own.
        let shallow = is_operation(&value) && keeps_its_place(&mut value);
        self.take_bindings();
        if is_operation(&value) {
            self.take_leaves(&mut value, shallow);
        } else {
            self.take(&mut value, Operand::Tensor);
        }
        let mut place = borrow_mut(place);
        self.take(&mut place, Operand::Value);
        let mut function = self.function(name, target, span);
        let leaves = std::mem::take(&mut self.leaves);
        let mut leaves = leaves.iter();
        let locals = self.bind(&mut function, &mut leaves);
        if is_operation(&value) {
            self.put_leaves(&mut value, shallow, &mut leaves, &locals, &function);
        } else {
            self.put(&mut value, &mut leaves, &locals, &function);
        }
        self.put(&mut place, &mut leaves, &locals, &function);
        function.body.statements.push(HirStatement {
            kind: HirStatementKind::CompoundAssign { op, place, value },
            span,
        });
        let call = self.call(&function, span);
        Outlined { function, call }
    }

    fn take_bindings(&mut self) {
        let mut bindings = std::mem::take(&mut self.bindings);
        for binding in &mut bindings {
            if let HirStatementKind::Bind { value, .. } = &mut binding.kind {
                self.take_leaves(operation_of(value), false);
            }
        }
        self.bindings = bindings;
    }

    fn take_leaves(&mut self, operation: &mut HirExpr, shallow: bool) {
        for_each_leaf(operation, shallow, &mut |leaf, operand| {
            self.take(leaf, operand)
        });
    }

    fn take(&mut self, leaf: &mut HirExpr, operand: Operand) {
        if operand == Operand::Tensor
            && let Some(id) = read_local(leaf).filter(|id| self.bound.contains(id))
        {
            self.leaves.push(Leaf::Bound(id));
            return;
        }
        let value = std::mem::replace(leaf, placeholder());
        let handle = self.argument(argument(value, operand));
        self.leaves.push(Leaf::Argument(handle));
    }

    /// The argument for a value. One place is one argument, taken as the strongest of its uses
    /// takes it, and where that use stands.
    fn argument(&mut self, value: HirExpr) -> usize {
        let place = place(&value);
        let known = self
            .arguments
            .iter()
            .position(|a| place.is_some() && a.place == place);
        let handle = match known {
            Some(at) if strength(&value.ty) <= strength(&self.arguments[at].value.ty) => {
                return self.arguments[at].handle;
            }
            Some(at) => self.arguments.remove(at).handle,
            None => {
                self.next_handle += 1;
                self.next_handle
            }
        };
        self.arguments.push(Argument {
            handle,
            place,
            value,
        });
        handle
    }

    /// The function with its parameters.
    fn function(&self, name: String, target: FunctionTarget, span: Span) -> HirFunction {
        let parameter = |(at, argument): (usize, &Argument)| HirLocal {
            name: self.parameter_name(at, argument),
            ty: argument.value.ty.clone(),
            mutable: false,
            span: argument.value.span,
        };
        let locals: Vec<_> = self.arguments.iter().enumerate().map(parameter).collect();
        HirFunction {
            name,
            target,
            parameter_count: locals.len(),
            locals,
            result: HirType::Void,
            body: HirBlock {
                statements: Vec::new(),
                value: None,
                span,
            },
            span,
        }
    }

    /// What the source calls the argument, where it has a name for it.
    fn parameter_name(&self, at: usize, argument: &Argument) -> String {
        let local = |local: LocalId| self.host[local.0 as usize].name.clone();
        if let Some(place) = &argument.place {
            let steps = place.path.iter();
            return steps.fold(local(place.local), |name, step| match step {
                Step::Field(field) => field.clone(),
                Step::Member(index) => format!("{name}_{index}"),
            });
        }
        let unnamed = || format!("arg{at}");
        match &argument.value.kind {
            HirExprKind::Constant(name) => name.clone(),
            HirExprKind::CheckedPosition { position, .. } => match position.kind {
                HirExprKind::Local(of) => local(of),
                _ => unnamed(),
            },
            _ => unnamed(),
        }
    }

    /// Moves the bindings into the function; what they bind is by its id in the host.
    fn bind(
        &mut self,
        function: &mut HirFunction,
        leaves: &mut std::slice::Iter<'_, Leaf>,
    ) -> BTreeMap<LocalId, LocalId> {
        let mut locals = BTreeMap::new();
        for mut binding in std::mem::take(&mut self.bindings) {
            if let HirStatementKind::Bind { pattern, value } = &mut binding.kind {
                self.put_leaves(operation_of(value), false, leaves, &locals, function);
                let bound = match pattern {
                    HirPattern::Local(id) => std::slice::from_mut(id),
                    HirPattern::Tuple(ids) => ids,
                };
                for id in bound {
                    let made = LocalId(function.locals.len() as u32);
                    function.locals.push(self.host[id.0 as usize].clone());
                    locals.insert(*id, made);
                    *id = made;
                }
                if !is_operation(value) {
                    bind_tensor(pattern, value, &mut function.locals);
                }
            }
            function.body.statements.push(binding);
        }
        locals
    }

    fn put_leaves(
        &self,
        operation: &mut HirExpr,
        shallow: bool,
        leaves: &mut std::slice::Iter<'_, Leaf>,
        locals: &BTreeMap<LocalId, LocalId>,
        function: &HirFunction,
    ) {
        for_each_leaf(operation, shallow, &mut |leaf, _| {
            self.put(leaf, leaves, locals, function);
        });
    }

    /// Puts a parameter, or what a binding made, where a leaf was.
    fn put(
        &self,
        leaf: &mut HirExpr,
        leaves: &mut std::slice::Iter<'_, Leaf>,
        locals: &BTreeMap<LocalId, LocalId>,
        function: &HirFunction,
    ) {
        let (id, span) = match leaves.next() {
            Some(Leaf::Bound(id)) => (locals.get(id).copied(), leaf.span),
            Some(Leaf::Argument(handle)) => {
                let at = self.arguments.iter().position(|a| a.handle == *handle);
                let span = at.map_or(leaf.span, |at| self.arguments[at].value.span);
                (at.map(|at| LocalId(at as u32)), span)
            }
            None => (None, leaf.span),
        };
        if let Some(id) = id {
            *leaf = HirExpr {
                kind: HirExprKind::Local(id),
                ty: function.local(id).ty.clone(),
                span,
            };
        }
    }

    fn call(&mut self, function: &HirFunction, span: Span) -> HirExpr {
        let arguments = std::mem::take(&mut self.arguments);
        HirExpr {
            kind: HirExprKind::Call {
                callee: Callee::Function(function.name.clone()),
                arguments: arguments
                    .into_iter()
                    .map(|argument| argument.value)
                    .collect(),
            },
            ty: function.result.clone(),
            span,
        }
    }
}

/// A leaf as an argument: a position is checked, a scalar behind a reference is read.
fn argument(value: HirExpr, operand: Operand) -> HirExpr {
    let span = value.span;
    match operand {
        Operand::Position { axis, extent } => HirExpr {
            kind: HirExprKind::CheckedPosition {
                position: Box::new(value),
                axis,
                extent,
            },
            ty: ScalarType::I64.into(),
            span,
        },
        Operand::Tensor | Operand::Value => {
            if let HirType::Reference { .. } = value.ty
                && let Some(scalar) = value.ty.as_scalar()
            {
                let kind = HirExprKind::Cast(Box::new(value));
                let ty = scalar.into();
                return HirExpr { kind, ty, span };
            }
            value
        }
    }
}

fn borrow_mut(place: HirExpr) -> HirExpr {
    if let HirType::Reference { .. } = place.ty {
        return place;
    }
    HirExpr {
        ty: HirType::reference(true, place.ty.clone()),
        span: place.span,
        kind: HirExprKind::Borrow {
            mutable: true,
            operand: Box::new(place),
        },
    }
}

/// The place that an argument reads or borrows.
fn place(value: &HirExpr) -> Option<Place> {
    match &value.kind {
        HirExprKind::Borrow { operand, .. } => Place::of(operand),
        _ => Place::of(value),
    }
}

fn strength(ty: &HirType) -> u8 {
    if let HirType::Reference { mutable, .. } = ty {
        u8::from(*mutable)
    } else {
        2
    }
}

fn pattern_locals(pattern: &HirPattern) -> &[LocalId] {
    match pattern {
        HirPattern::Local(id) => std::slice::from_ref(id),
        HirPattern::Tuple(ids) => ids,
    }
}
