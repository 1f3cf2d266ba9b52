use std::collections::{BTreeMap, BTreeSet};

use shared_types::Span;

use super::{HirError, Scope, flow};
use crate::{
    FunctionTarget, FunctionType, HirConst, HirExprKind, HirFunction, HirImpl, HirItem, HirNode,
    HirProgram, HirStruct, HirType, TensorOp,
};

/// What a program declares, by name.
pub(super) struct Items<'a> {
    pub(super) functions: BTreeMap<&'a str, &'a HirFunction>,
    /// By owner and name.
    pub(super) methods: BTreeMap<(&'a str, &'a str), &'a HirFunction>,
    pub(super) structs: BTreeMap<&'a str, &'a HirStruct>,
    pub(super) constants: BTreeMap<&'a str, &'a HirConst>,
}

impl<'a> Items<'a> {
    /// Names are unique: a function's or constant's among both, a struct's among structs, a
    /// field's in its struct, a method's among its struct's methods.
    pub(super) fn new(program: &'a HirProgram, errors: &mut Vec<HirError>) -> Self {
        let mut items = Items {
            functions: BTreeMap::new(),
            methods: BTreeMap::new(),
            structs: BTreeMap::new(),
            constants: BTreeMap::new(),
        };
        let mut values = BTreeSet::new();
        let mut twice = |span: Span, what: &str, name: &str| {
            let message = format!("there are two {what} `{name}`");
            errors.push(HirError::new(span, message));
        };
        for item in &program.items {
            match item {
                HirItem::Function(function) => {
                    if !values.insert(&function.name) {
                        twice(function.span, "functions or constants", &function.name);
                    }
                    items.functions.insert(&function.name, function);
                }
                HirItem::Const(constant) => {
                    if !values.insert(&constant.name) {
                        twice(constant.span, "functions or constants", &constant.name);
                    }
                    items.constants.insert(&constant.name, constant);
                }
                HirItem::Struct(item) => {
                    if items.structs.insert(&item.name, item).is_some() {
                        twice(item.span, "structs", &item.name);
                    }
                    let mut fields = BTreeSet::new();
                    for field in &item.fields {
                        if !fields.insert(&field.name) {
                            twice(item.span, "fields", &field.name);
                        }
                    }
                }
                HirItem::Impl(HirImpl { owner, methods, .. }) => {
                    for method in methods {
                        let key = (owner.as_str(), method.name.as_str());
                        if items.methods.insert(key, method).is_some() {
                            twice(method.span, "methods", &format!("{owner}.{}", method.name));
                        }
                    }
                }
            }
        }
        items
    }

    /// The struct that a type names.
    pub(super) fn declared(&self, ty: &HirType) -> Option<&'a HirStruct> {
        if let HirType::Nominal(name) = ty {
            self.structs.get(name.as_str()).copied()
        } else {
            None
        }
    }
}

/// The rules of each item by itself.
pub(super) fn check(program: &HirProgram, items: &Items<'_>, errors: &mut Vec<HirError>) {
    let mut constants = BTreeSet::new();
    for item in &program.items {
        match item {
            HirItem::Function(function) => check_function(function, items, errors),
            HirItem::Impl(block) => check_impl(block, items, errors),
            HirItem::Struct(item) => {
                for field in &item.fields {
                    if let Err(reason) = items.check_type(&field.ty, false) {
                        let message = format!("field `{}`: {reason}", field.name);
                        errors.push(HirError::new(item.span, message));
                    }
                }
            }
            HirItem::Const(constant) => {
                check_constant(constant, &constants, items, errors);
                constants.insert(constant.name.as_str());
            }
        }
    }
}

/// - The owner is a declared struct.
/// - A method's first parameter is the receiver: the owner, owned or behind a reference.
/// - A method is no kernel: only a call by name launches one.
fn check_impl(block: &HirImpl, items: &Items<'_>, errors: &mut Vec<HirError>) {
    let owner = HirType::Nominal(block.owner.clone());
    if let Err(message) = items.check_type(&owner, false) {
        errors.push(HirError::new(block.span, message));
    }
    for method in &block.methods {
        let mut error = |message: String| errors.push(HirError::new(method.span, message));
        let receiver = method.parameters().first();
        if receiver.is_none_or(|receiver| *receiver.ty.referent() != owner) {
            error(format!(
                "the first parameter of method `{}` is no `{owner}`",
                method.name
            ));
        }
        if let FunctionTarget::Kernel { .. } = method.target {
            error(format!("method `{}` is a kernel", method.name));
        }
        check_function(method, items, errors);
    }
}

/// - The parameters are locals; parameters, locals and the result have types that may stand there.
/// - A kernel has a block shape and a grid.
fn check_function(function: &HirFunction, items: &Items<'_>, errors: &mut Vec<HirError>) {
    if function.parameter_count > function.locals.len() {
        let message = format!(
            "function `{}` has {} parameters but {} locals",
            function.name,
            function.parameter_count,
            function.locals.len()
        );
        errors.push(HirError::new(function.span, message));
    }
    for local in &function.locals {
        if let Err(reason) = items.check_type(&local.ty, false) {
            let message = format!("local `{}`: {reason}", local.name);
            errors.push(HirError::new(local.span, message));
        }
    }
    let outcomes = [
        items.check_type(&function.result, true),
        check_target(function),
    ];
    for message in outcomes.into_iter().filter_map(Result::err) {
        let message = format!("function `{}`: {message}", function.name);
        errors.push(HirError::new(function.span, message));
    }
    let scope = Scope {
        items,
        locals: &function.locals,
        target: &function.target,
    };
    scope.check((&function.body).into(), errors);
    flow::check(function, errors);
}

/// The block of a kernel has 1 to 3 extents, each 1 or more, and at most 1,024 threads; a `&mut`
/// tensor parameter gives the grid, and nothing is returned.
fn check_target(function: &HirFunction) -> Result<(), String> {
    let FunctionTarget::Kernel { threads } = &function.target else {
        return Ok(());
    };
    let count = threads
        .iter()
        .try_fold(1u32, |n, &extent| n.checked_mul(extent));
    if !(1..=3).contains(&threads.len()) {
        return Err(format!(
            "a kernel's block has 1 to 3 extents, not {}",
            threads.len()
        ));
    }
    if !count.is_some_and(|count| (1..=1024).contains(&count)) {
        return Err(format!(
            "a kernel's block has 1 to 1024 threads, not those of {threads:?}"
        ));
    }
    let gives_grid = |ty: &HirType| {
        matches!(ty, HirType::Reference { mutable: true, target }
            if matches!(**target, HirType::Tensor(_)))
    };
    if !function
        .parameters()
        .iter()
        .any(|parameter| gives_grid(&parameter.ty))
    {
        return Err("a kernel takes a `&mut` tensor, whose extents are its grid".into());
    }
    if function.result != HirType::Void {
        return Err(format!(
            "a kernel returns nothing, not `{}`",
            function.result
        ));
    }
    Ok(())
}

/// A constant is made of literals, and of constants that stand before it, by operators, casts,
/// tuples and tensor literals: an evaluator in program order needs no more.
fn check_constant(
    constant: &HirConst,
    earlier: &BTreeSet<&str>,
    items: &Items<'_>,
    errors: &mut Vec<HirError>,
) {
    for node in HirNode::from(&constant.value).descendants() {
        let HirNode::Expr(expr) = node else { continue };
        let message = match &expr.kind {
            HirExprKind::Constant(name) if !earlier.contains(name.as_str()) => {
                format!(
                    "constant `{name}` does not stand before `{}`",
                    constant.name
                )
            }
            HirExprKind::Literal(_)
            | HirExprKind::Constant(_)
            | HirExprKind::Unary { .. }
            | HirExprKind::Binary { .. }
            | HirExprKind::Cast(_)
            | HirExprKind::Tuple(_)
            | HirExprKind::Tensor(TensorOp::Literal(_) | TensorOp::Fill(_) | TensorOp::Scalar(_)) =>
            {
                continue;
            }
            HirExprKind::Local(_)
            | HirExprKind::Function(_)
            | HirExprKind::Closure(_)
            | HirExprKind::Math { .. }
            | HirExprKind::Pow { .. }
            | HirExprKind::Call { .. }
            | HirExprKind::Borrow { .. }
            | HirExprKind::Block(_)
            | HirExprKind::If { .. }
            | HirExprKind::TupleMember { .. }
            | HirExprKind::Struct(_)
            | HirExprKind::Field { .. }
            | HirExprKind::Print(_)
            | HirExprKind::GridIndex { .. }
            | HirExprKind::CheckedPosition { .. }
            | HirExprKind::Tensor(_) => {
                format!("the value of `{}` is not constant here", constant.name)
            }
        };
        errors.push(HirError::new(expr.span, message));
    }
    let scope = Scope {
        items,
        locals: &[],
        target: &FunctionTarget::Host,
    };
    scope.check((&constant.value).into(), errors);
}

/// The type of `function` as a value.
pub(super) fn signature(function: &HirFunction) -> FunctionType {
    FunctionType {
        parameters: function.parameters().iter().map(|p| p.ty.clone()).collect(),
        result: function.result.clone(),
    }
}
