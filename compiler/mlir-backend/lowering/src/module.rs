use std::collections::HashMap;

use melior::ir::block::BlockLike;
use melior::ir::{Location, Module};
use mlir_pipeline::{MlirError, NotLowered, Session};
use neuro_hir::{Extent, HirExpr, HirFunction, HirItem, HirProgram, HirType};
use shared_types::ScalarType;

use crate::at::Built;
use crate::check::{Check, IterationSpace};
use crate::contraction_shape::ContractionShape;
use crate::function::{Manner, declare, define, failed};
use crate::parameter::{BodyParameter, parameters};
use crate::scalar_function::ScalarFunctions;
use crate::sort::SortForm;
use crate::traversal::Traversal;
use crate::unlowered::{Refusal, Unlowered};

/// The whole program as text to read: a definition for each body that lowers, a declaration for
/// each other function and method (backend specification, §Lowering Rules). `prefix` stands before
/// each name.
pub fn program_module<'c>(
    session: &'c Session,
    program: &HirProgram,
    prefix: &str,
) -> Result<Module<'c>, MlirError> {
    let context = session.context();
    let module = Module::new(Location::unknown(context));
    let constants = constants(program);
    for item in &program.items {
        match item {
            HirItem::Function(function) => {
                let manner = Manner {
                    tier: None,
                    sorts: SortForm::Merge,
                    functions: None,
                };
                let symbol = format!("{prefix}{}", function.name);
                let defined = define(context, function, &symbol, manner, &constants);
                let operation = match defined {
                    Ok(definition) => definition.operation,
                    Err(Unlowered::Failed(error)) => return Err(error),
                    Err(Unlowered::Refused { .. }) => {
                        declare(context, function, &symbol, false).map_err(failed)?
                    }
                };
                module.body().append_operation(operation);
            }
            HirItem::Impl(methods) => {
                for method in &methods.methods {
                    let symbol = format!("{prefix}{}.{}", methods.owner, method.name);
                    let operation = declare(context, method, &symbol, true).map_err(failed)?;
                    module.body().append_operation(operation);
                }
            }
            HirItem::Struct(_) | HirItem::Const(_) => {}
        }
    }
    session.verify(&module)?;
    Ok(module)
}

/// Which functions a link module takes, what it calls them, how they sort, and how it finds the
/// functions of traversals: without a way they are function values.
pub struct Selection<'s> {
    pub takes: &'s dyn Fn(&HirFunction) -> bool,
    pub prefix: &'s str,
    pub sorts: SortForm,
    pub functions: Option<ScalarFunctions<'s>>,
}

/// A module of bodies to link; it declares nothing but the functions that it has found.
pub struct LinkModule<'c> {
    pub module: Module<'c>,
    /// In program order.
    pub bodies: Vec<Body>,
    /// The functions taken that have no body, and why.
    pub refused: Vec<Refusal>,
}

/// A body of a link module.
#[derive(Clone)]
pub struct Body {
    pub function: String,
    pub symbol: String,
    /// What the symbol takes, in order.
    pub parameters: Vec<BodyParameter>,
    pub checks: Vec<Check>,
    /// What the operation number in a status word counts.
    pub spaces: Vec<IterationSpace>,
    pub contractions: Vec<ContractionShape>,
    /// Those that call function values, in program order, which is the order of the calls.
    pub traversals: Vec<Traversal>,
    /// Where the pointers of function values lie among the symbol's parameters.
    pub function_pointers: Vec<usize>,
    /// Whether the body writes only buffers that its caller has just allocated.
    pub has_result: bool,
}

impl Body {
    /// Whether the symbol takes what shares its loops among threads, which comes last.
    pub fn shares_loops(&self) -> bool {
        self.parameters.last() == Some(&BodyParameter::Threads)
    }
}

/// The bodies that qualify for linking (backend specification, §Linking into a compile).
pub fn link_module<'c>(
    session: &'c Session,
    program: &HirProgram,
    selection: &Selection<'_>,
) -> Result<LinkModule<'c>, MlirError> {
    let context = session.context();
    let module = Module::new(Location::unknown(context));
    let constants = constants(program);
    let mut bodies = Vec::new();
    let mut refused = Vec::new();
    for function in program
        .functions()
        .filter(|function| (selection.takes)(function))
    {
        let symbol = format!("{}{}", selection.prefix, function.name);
        let defined = has_linkable_signature(function).and_then(|()| {
            let manner = Manner {
                tier: Some(program.tier),
                sorts: selection.sorts,
                functions: selection.functions,
            };
            let definition = define(context, function, &symbol, manner, &constants)?;
            let has_checks = !definition.checks.is_empty();
            let (positions, passed) = (&definition.positions, &definition.passed);
            let parameters = parameters(function, has_checks, positions, passed)?;
            let called = definition.called.iter();
            let called = called.map(|called| called.declare(context));
            Ok((called.collect::<Built<Vec<_>>>()?, definition, parameters))
        });
        match defined {
            Ok((called, definition, parameters)) => {
                for declaration in called {
                    module.body().append_operation(declaration);
                }
                module.body().append_operation(definition.operation);
                bodies.push(Body {
                    function: function.name.clone(),
                    symbol,
                    parameters,
                    checks: definition.checks,
                    spaces: definition.spaces,
                    contractions: definition.contractions,
                    traversals: definition.traversals,
                    function_pointers: definition.function_pointers,
                    has_result: function.result != HirType::Void,
                });
            }
            Err(Unlowered::Failed(error)) => return Err(error),
            Err(Unlowered::Refused {
                cause,
                reason,
                span,
            }) => refused.push(Refusal {
                function: NotLowered {
                    name: function.name.clone(),
                    span,
                    reason,
                },
                cause,
            }),
        }
    }
    session.verify(&module)?;
    Ok(LinkModule {
        module,
        bodies,
        refused,
    })
}

/// What the function's symbol takes for its parameters, with neither a status word nor results; or
/// which of them has no form in a linked body.
pub fn linkable_parameters(function: &HirFunction) -> Result<Vec<BodyParameter>, NotLowered> {
    let parameters = has_linkable_signature(function)
        .and_then(|()| parameters(function, false, &HashMap::new(), &HashMap::new()));
    let own = |mut parameters: Vec<BodyParameter>| {
        parameters.truncate(function.parameter_count);
        parameters
    };
    parameters.map(own).map_err(|unlowered| {
        let (reason, span) = match unlowered {
            Unlowered::Refused { reason, span, .. } => (reason, span),
            Unlowered::Failed(error) => (error.to_string(), function.span),
        };
        NotLowered {
            name: function.name.clone(),
            span,
            reason,
        }
    })
}

/// Numbers, bools, static tensors of them, owned or borrowed, and functions of numbers and bools
/// in; a static tensor, a tuple of them, or nothing out.
fn has_linkable_signature(function: &HirFunction) -> Result<(), Unlowered> {
    let refused = |ty: &HirType, span| {
        Unlowered::refused(format!("`{ty}` in the signature of a linked body"), span)
    };
    for parameter in function.parameters() {
        let ty = &parameter.ty;
        let fits = match ty.referent() {
            HirType::Scalar(scalar) => scalar.is_element(),
            HirType::Tensor(_) => is_static_tensor(ty.referent()),
            HirType::Function(signature) => signature.element_types().is_some(),
            HirType::Void
            | HirType::Reference { .. }
            | HirType::Tuple(_)
            | HirType::String
            | HirType::Nominal(_) => false,
        };
        if !fits {
            return refused(ty, parameter.span);
        }
    }
    let fits = match &function.result {
        HirType::Void => true,
        HirType::Tensor(_) => is_static_tensor(&function.result),
        HirType::Tuple(members) => members.iter().all(is_static_tensor),
        HirType::Scalar(_)
        | HirType::Reference { .. }
        | HirType::Function(_)
        | HirType::String
        | HirType::Nominal(_) => false,
    };
    match fits {
        true => Ok(()),
        false => refused(&function.result, function.span),
    }
}

fn is_static_tensor(ty: &HirType) -> bool {
    let HirType::Tensor(tensor) = ty else {
        return false;
    };
    tensor.scalar().is_some_and(ScalarType::is_element)
        && tensor.extents().all(|extent| extent != Extent::Dynamic)
        && tensor.elements().is_some()
}

fn constants(program: &HirProgram) -> HashMap<&str, &HirExpr> {
    let constants = program.items.iter().filter_map(|item| match item {
        HirItem::Const(constant) => Some((constant.name.as_str(), &constant.value)),
        HirItem::Function(_) | HirItem::Impl(_) | HirItem::Struct(_) => None,
    });
    constants.collect()
}
