use codegen::{FunctionSignature, Scratch};
use mlir_backend::internal::Vendor;
use mlir_backend::{BodyParameter, Check, CheckKind};
use neuro_hir::{HirFunction, HirType};
use shared_types::{ScalarType, SourceMap};

use crate::names::Names;
use crate::{LinkedFunction, bits};

/// What the header says of a body.
pub(crate) struct Function {
    /// In the program.
    pub name: String,
    /// Whose GPU runs it; none for the host.
    pub vendor: Option<Vendor>,
    /// As it stands in the program, or would.
    pub declaration: String,
    pub symbol: String,
    /// What takes halves as bits, where the body takes some.
    pub bits_entry: Option<String>,
    /// In the order of the body's parameters.
    pub arguments: Vec<Argument>,
    pub checks: Vec<LocatedCheck>,
    /// What the body allocates while it runs.
    pub scratch: Scratch,
}

/// An argument, by a name that is free in C.
pub(crate) struct Argument {
    pub name: String,
    pub kind: ArgumentKind,
}

pub(crate) enum ArgumentKind {
    Scalar(ScalarType),
    /// Where a slice reads its source.
    Position {
        scalar: ScalarType,
        extent: u64,
    },
    Tensor {
        scalar: ScalarType,
        shape: Vec<u64>,
        usage: Usage,
    },
    Status,
    /// What shares loops, and by a name of its own what that is called with.
    Threads {
        pool: String,
    },
    /// Its code and, by a name of its own, its environment.
    Function {
        signature: FunctionSignature,
        environment: String,
    },
}

/// What a body does with a tensor.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Usage {
    Reads,
    /// A `&mut` parameter.
    Updates,
    /// A result.
    Writes,
}

/// A check, and the operation that it belongs to.
pub(crate) struct LocatedCheck {
    pub operator: String,
    pub kind: CheckKind,
    pub file: String,
    pub line: u32,
    pub column: u32,
    /// Of the operation's result.
    pub shape: Vec<u64>,
    /// How many positions fold into an element of it.
    pub folded: u64,
}

impl Function {
    /// Of a GPU body with the vendor whose it is.
    pub(crate) fn new(
        linked: &LinkedFunction<'_>,
        vendor: Option<Vendor>,
        scratch: Scratch,
        sources: &SourceMap,
    ) -> Self {
        let LinkedFunction {
            hir,
            body,
            signature,
        } = linked;
        let located = |check: &Check| {
            let space = body.spaces.get(usize::from(check.operation));
            let file = sources.get(check.span.file);
            let position = file.map(|file| file.position(check.span.start));
            LocatedCheck {
                operator: check.operator.to_string(),
                kind: check.kind,
                file: file.map_or("?", |file| file.name()).to_string(),
                line: position.map_or(0, |position| position.line),
                column: position.map_or(0, |position| position.column),
                shape: space.map_or(vec![], |space| space.result.clone()),
                folded: space.map_or(1, |space| space.folded.iter().product::<u64>().max(1)),
            }
        };
        Function {
            name: hir.name.clone(),
            vendor,
            declaration: declaration(hir),
            symbol: body.symbol.clone(),
            bits_entry: bits::entry_name(signature),
            arguments: arguments(hir, &body.parameters),
            checks: body.checks.iter().map(located).collect(),
            scratch,
        }
    }

    /// The name of what shares its loops, where it has some to share.
    pub(crate) fn threads(&self) -> Option<&str> {
        let mut arguments = self.arguments.iter();
        let threads =
            arguments.find(|argument| matches!(argument.kind, ArgumentKind::Threads { .. }));
        threads.map(|argument| argument.name.as_str())
    }

    /// The name of the function over `DLTensor`.
    pub(crate) fn checked_name(&self) -> String {
        let prefix = match self.vendor {
            None => "neuro",
            Some(_) => "neurogpu",
        };
        format!("{prefix}_{}", self.name)
    }

    /// The tensors among the arguments.
    pub(crate) fn tensors(&self) -> impl Iterator<Item = (&str, ScalarType, &[u64], Usage)> {
        self.arguments
            .iter()
            .filter_map(|argument| match &argument.kind {
                ArgumentKind::Tensor {
                    scalar,
                    shape,
                    usage,
                } => Some((argument.name.as_str(), *scalar, shape.as_slice(), *usage)),
                ArgumentKind::Scalar(_)
                | ArgumentKind::Position { .. }
                | ArgumentKind::Status
                | ArgumentKind::Function { .. }
                | ArgumentKind::Threads { .. } => None,
            })
    }
}

fn declaration(function: &HirFunction) -> String {
    let parameters: Vec<String> = function
        .parameters()
        .iter()
        .map(|parameter| format!("{}: {}", parameter.name, parameter.ty))
        .collect();
    let declaration = format!("func {}({})", function.name, parameters.join(", "));
    match &function.result {
        HirType::Void => declaration,
        result => format!("{declaration} -> {result}"),
    }
}

/// The parameters by their names, the status word, the results as `out` or `out0`, `out1`, ….
fn arguments(function: &HirFunction, parameters: &[BodyParameter]) -> Vec<Argument> {
    let mut names = Names::new();
    // In the place of a function a GPU body takes what that has captured.
    let is_function =
        |parameter: &BodyParameter| matches!(parameter, BodyParameter::Function { .. });
    let takes_functions = parameters.iter().any(is_function);
    let own = function.parameters().iter();
    let own = own
        .filter(|own| takes_functions || !matches!(own.ty.referent(), HirType::Function(_)))
        .map(|own| names.take(&own.name));
    let mut own = own.collect::<Vec<String>>().into_iter();
    let is_result = |parameter: &&BodyParameter| matches!(parameter, BodyParameter::Result { .. });
    let results = parameters.iter().filter(is_result).count();
    let mut result = 0;
    let mut arguments = Vec::new();
    for parameter in parameters {
        let tensor = |scalar: &ScalarType, shape: &[u64], usage| ArgumentKind::Tensor {
            scalar: *scalar,
            shape: shape.to_vec(),
            usage,
        };
        let name = match parameter {
            BodyParameter::Scalar(_)
            | BodyParameter::Position { .. }
            | BodyParameter::Operand { .. }
            | BodyParameter::Target { .. }
            | BodyParameter::Function { .. } => own.next().unwrap_or_default(),
            BodyParameter::Captured { name, .. } => names.take(name),
            BodyParameter::Result { .. } if results == 1 => names.take("out"),
            BodyParameter::Result { .. } => {
                result += 1;
                names.take(&format!("out{}", result - 1))
            }
            BodyParameter::Status => names.take("status"),
            BodyParameter::Threads => names.take("threads"),
        };
        let kind = match parameter {
            BodyParameter::Scalar(scalar) | BodyParameter::Captured { scalar, .. } => {
                ArgumentKind::Scalar(*scalar)
            }
            BodyParameter::Position { scalar, extent } => ArgumentKind::Position {
                scalar: *scalar,
                extent: *extent,
            },
            BodyParameter::Operand { scalar, shape, .. } => tensor(scalar, shape, Usage::Reads),
            BodyParameter::Target { scalar, shape } => tensor(scalar, shape, Usage::Updates),
            BodyParameter::Result { scalar, shape } => tensor(scalar, shape, Usage::Writes),
            BodyParameter::Status => ArgumentKind::Status,
            BodyParameter::Threads => ArgumentKind::Threads {
                pool: names.take("pool"),
            },
            BodyParameter::Function { parameters, result } => ArgumentKind::Function {
                signature: FunctionSignature {
                    parameters: parameters.clone(),
                    result: *result,
                },
                environment: names.take(&format!("{name}_environment")),
            },
        };
        arguments.push(Argument { name, kind });
    }
    arguments
}
