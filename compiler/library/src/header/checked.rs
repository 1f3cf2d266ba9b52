use std::fmt::Write as _;

use codegen::Scratch;
use mlir_backend::CheckKind;
use mlir_backend::internal::Vendor;

use super::text::{c_type, dlpack_code, function_parameters, literal, strides, tensor_type};
use crate::function::{Argument, ArgumentKind, Function, LocatedCheck, Usage};

/// The function over `DLTensor`.
pub(super) fn checked(function: &Function) -> String {
    let mut shapes = Shapes::default();
    let arguments = arguments_table(function, &mut shapes);
    let checks = checks_table(&function.checks, &mut shapes);
    let name = literal(&function.name);
    let count = function.tensors().count();
    let tensors: Vec<&str> = function.tensors().map(|(name, ..)| name).collect();

    let mut text = documentation(function);
    let _ = writeln!(
        text,
        "static inline NeuroStatus {}(\n    {}, NeuroFailure *failure) {{",
        function.checked_name(),
        parameters(function).join(", "),
    );
    text += &shapes.declarations();
    text += &arguments;
    text += &checks;
    let _ = writeln!(
        text,
        "  const DLTensor *const neuro_tensors[] = {{{}}};
  void *neuro_data[{count}];
  NeuroStatus neuro_status =
      NeuroCheckArguments({name}, {count}, neuro_arguments, neuro_tensors, neuro_data, failure);",
        tensors.join(", "),
    );
    let mut further = Vec::new();
    for argument in &function.arguments {
        let (value, argument, kind) = (&argument.name, literal(&argument.name), &argument.kind);
        let (ty, holds, status) = match kind {
            ArgumentKind::Function { signature, .. } => (
                format!("func{signature}"),
                format!("{value} != NULL"),
                "NEURO_NULL",
            ),
            ArgumentKind::Position { scalar, extent } => {
                let is_below = format!("(uint64_t){value} < {extent}u");
                let holds = match scalar.is_signed() {
                    true => format!("{value} >= 0 && {is_below}"),
                    false => is_below,
                };
                (scalar.name().to_string(), holds, "NEURO_POSITION")
            }
            _ => continue,
        };
        let ty = literal(&ty);
        further.push(format!(
            "NeuroCheckOther({name}, {argument}, {ty}, {holds}, {status}, failure)"
        ));
    }
    let threads = function.threads();
    match (function.scratch, threads) {
        (Scratch { body: 0, thread: 0 }, _) => {}
        (Scratch { body, .. }, None) => {
            further.push(format!("NeuroCheckMemory({name}, {body}u, failure)"));
        }
        (Scratch { body, thread }, Some(threads)) => further.push(format!(
            "NeuroCheckMemory({name}, {body}u + {thread}u * NeuroThreadCount({threads}), failure)"
        )),
    }
    for check in further {
        let _ = writeln!(
            text,
            "  if (neuro_status == NEURO_OK) {{\n    neuro_status = {check};\n  }}"
        );
    }
    let _ = writeln!(text, "{LEAVE}");
    let has_checks = !function.checks.is_empty();
    if has_checks || function.vendor.is_some() {
        text += "  uint64_t neuro_word = UINT64_MAX;\n";
    }
    let staged = "neuro_arguments, neuro_data, neuro_memory, &neuro_word, failure";
    if let Some(vendor) = function.vendor {
        let vendor = vendor_number(vendor);
        let _ = writeln!(
            text,
            "  void *neuro_memory[{count} + 1];
  neuro_status = NeuroGpuStage({name}, {vendor}, {count}, {staged});
{LEAVE}"
        );
    }
    let symbol = function.bits_entry.as_ref().unwrap_or(&function.symbol);
    let _ = writeln!(
        text,
        "  {symbol}(\n      {});",
        call(function).join(",\n      ")
    );
    if function.vendor.is_some() {
        let _ = writeln!(
            text,
            "  neuro_status = NeuroGpuFetch({name}, {count}, {staged});
{LEAVE}"
        );
    }
    let result = match has_checks {
        true => format!("NeuroDecode({name}, neuro_word, neuro_checks, failure)"),
        false => "NEURO_OK".to_string(),
    };
    let _ = writeln!(text, "  return {result};\n}}");
    text
}

/// Leaves with what is wrong.
const LEAVE: &str = "  if (neuro_status != NEURO_OK) {\n    return neuro_status;\n  }";

fn vendor_number(vendor: Vendor) -> &'static str {
    match vendor {
        Vendor::Nvidia => "NEURO_NVIDIA",
        Vendor::Amd => "NEURO_AMD",
    }
}

fn documentation(function: &Function) -> String {
    let mut text = format!("/* {}\n", function.declaration);
    if let Some(vendor) = function.vendor {
        let vendor = vendor_number(vendor);
        let _ = writeln!(text, " * Runs on the first GPU of {vendor}.");
    }
    for (name, scalar, shape, usage) in function.tensors() {
        let ty = tensor_type(scalar, shape);
        let _ = match usage {
            Usage::Reads => Ok(()),
            Usage::Updates => writeln!(text, " * `{name}`, a {ty}, is updated."),
            Usage::Writes => writeln!(text, " * `{name}` gets a {ty}."),
        };
    }
    for kind in [CheckKind::Overflow, CheckKind::ZeroDivisor] {
        if function.checks.iter().any(|check| check.kind == kind) {
            let _ = writeln!(
                text,
                " * Fails with {} where the program does.",
                status(kind)
            );
        }
    }
    text + " */\n"
}

fn status(kind: CheckKind) -> &'static str {
    match kind {
        CheckKind::Overflow => "NEURO_OVERFLOW",
        CheckKind::ZeroDivisor => "NEURO_ZERO_DIVISOR",
    }
}

/// The shapes that the tables point to, each once.
#[derive(Default)]
struct Shapes(Vec<Vec<u64>>);

impl Shapes {
    fn pointer(&mut self, shape: &[u64]) -> String {
        if shape.is_empty() {
            return "NULL".to_string();
        }
        let known = self.0.iter().position(|one| one == shape);
        let index = known.unwrap_or_else(|| {
            self.0.push(shape.to_vec());
            self.0.len() - 1
        });
        format!("neuro_shape_{index}")
    }

    fn declarations(&self) -> String {
        let one = |(index, shape): (usize, &Vec<u64>)| {
            let extents = comma_separated(shape);
            format!("  static const int64_t neuro_shape_{index}[] = {{{extents}}};\n")
        };
        self.0.iter().enumerate().map(one).collect()
    }
}

fn arguments_table(function: &Function, shapes: &mut Shapes) -> String {
    let mut table = String::from("  static const NeuroArgument neuro_arguments[] = {\n");
    for (name, scalar, shape, usage) in function.tensors() {
        let usage = match usage {
            Usage::Reads => "NEURO_READS",
            Usage::Updates => "NEURO_READS | NEURO_WRITES",
            Usage::Writes => "NEURO_WRITES",
        };
        let _ = writeln!(
            table,
            "      {{{}, {}, {usage}, {}, {}, {}, {}}},",
            literal(name),
            literal(&tensor_type(scalar, shape)),
            dlpack_code(scalar),
            scalar.bytes() * 8,
            shape.len(),
            shapes.pointer(shape),
        );
    }
    table + "  };\n"
}

fn checks_table(checks: &[LocatedCheck], shapes: &mut Shapes) -> String {
    if checks.is_empty() {
        return String::new();
    }
    let mut table = String::from("  static const NeuroCheck neuro_checks[] = {\n");
    for check in checks {
        let status = status(check.kind);
        let _ = writeln!(
            table,
            "      {{{status}, {}, {}, {}, {}, {}, {}, {}u}},",
            literal(&check.operator),
            literal(&check.file),
            check.line,
            check.column,
            check.shape.len(),
            shapes.pointer(&check.shape),
            check.folded,
        );
    }
    table + "  };\n"
}

fn parameters(function: &Function) -> Vec<String> {
    let parameter = |argument: &Argument| {
        let name = &argument.name;
        Some(match &argument.kind {
            ArgumentKind::Scalar(scalar) | ArgumentKind::Position { scalar, .. } => {
                format!("{} {name}", c_type(*scalar))
            }
            ArgumentKind::Tensor {
                usage: Usage::Reads,
                ..
            } => format!("const DLTensor *{name}"),
            ArgumentKind::Tensor { .. } => format!("DLTensor *{name}"),
            ArgumentKind::Function {
                signature,
                environment,
            } => function_parameters(signature, name, environment),
            ArgumentKind::Threads { .. } => format!("const NeuroThreads *{name}"),
            ArgumentKind::Status => return None,
        })
    };
    function.arguments.iter().filter_map(parameter).collect()
}

/// The arguments of the body's call.
fn call(function: &Function) -> Vec<String> {
    let mut tensor = 0;
    let data = match function.vendor {
        None => "neuro_data",
        Some(_) => "neuro_memory",
    };
    let mut words = Vec::new();
    for argument in &function.arguments {
        words.push(match &argument.kind {
            ArgumentKind::Scalar(_) | ArgumentKind::Position { .. } => argument.name.clone(),
            ArgumentKind::Tensor {
                scalar,
                shape,
                usage,
            } => {
                let constant = if *usage == Usage::Reads { "const " } else { "" };
                let pointer = format!("({constant}{} *){data}[{tensor}]", c_type(*scalar));
                tensor += 1;
                let numbers: Vec<u64> = [0]
                    .iter()
                    .chain(shape)
                    .copied()
                    .chain(strides(shape))
                    .collect();
                format!("{pointer}, {pointer}, {}", comma_separated(&numbers))
            }
            ArgumentKind::Function { environment, .. } => {
                format!("{}, {environment}", argument.name)
            }
            ArgumentKind::Status => match function.vendor {
                None => "&neuro_word, &neuro_word, 0".to_string(),
                Some(_) => {
                    let word = format!("(uint64_t *)neuro_memory[{}]", function.tensors().count());
                    format!("{word}, {word}, 0")
                }
            },
            ArgumentKind::Threads { .. } => {
                let name = &argument.name;
                format!("{name} ? {name}->share : NULL, {name} ? {name}->pool : NULL")
            }
        });
    }
    words
}

fn comma_separated(numbers: &[u64]) -> String {
    let texts: Vec<String> = numbers.iter().map(u64::to_string).collect();
    texts.join(", ")
}
