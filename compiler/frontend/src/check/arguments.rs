use ast_types::{Argument, Expr, Name};
use shared_types::Span;

use super::body::Body;
use crate::Diagnostic;
use crate::faults::Checked;

/// The arguments of a method of the language: those without a name, then those with one, in the
/// order that was asked for.
pub(super) struct Arguments<'e, const P: usize, const N: usize> {
    pub positional: [&'e Expr; P],
    pub named: [Option<&'e Expr>; N],
}

impl Body<'_, '_> {
    /// `P` arguments without a name, and any of those named.
    pub fn arguments<'e, const P: usize, const N: usize>(
        &mut self,
        method: &Name,
        arguments: &'e [Argument],
        names: [&str; N],
    ) -> Checked<Arguments<'e, P, N>> {
        let mut positional = Vec::new();
        let mut named = [None; N];
        for argument in arguments {
            let Some(name) = &argument.name else {
                positional.push(&argument.value);
                continue;
            };
            let Some(at) = names.iter().position(|known| *known == name.text) else {
                let message = format!("`{method}` takes no `{name}:`");
                return Err(self.fault(name.span, message));
            };
            if named[at].replace(&argument.value).is_some() {
                return Err(self.fault(name.span, format!("`{name}:` is given twice")));
            }
        }
        match positional.try_into() {
            Ok(positional) => Ok(Arguments { positional, named }),
            Err(given) => {
                let given: Vec<&Expr> = given;
                let message = format!("`{method}` takes {}, not {}", count(P), given.len());
                let mut fault = Diagnostic::new(method.span, message);
                if P == 0 && N > 0 {
                    fault = fault.help(format!("name it: `{}: …`", names[0]));
                }
                Err(self.items.report(fault))
            }
        }
    }

    /// All arguments, none of which has a name.
    pub fn unnamed<'e>(&mut self, arguments: &'e [Argument]) -> Checked<Vec<&'e Expr>> {
        let mut values = Vec::new();
        for argument in arguments {
            if let Some(name) = &argument.name {
                let message = format!("an argument without a name is expected: remove `{name}:`");
                return Err(self.fault(name.span, message));
            }
            values.push(&argument.value);
        }
        Ok(values)
    }

    pub fn require_count(
        &mut self,
        what: &str,
        takes: usize,
        given: usize,
        span: Span,
    ) -> Checked<()> {
        if takes == given {
            return Ok(());
        }
        Err(self.fault(span, format!("{what} takes {}, not {given}", count(takes))))
    }
}

fn count(arguments: usize) -> String {
    match arguments {
        1 => "1 argument".into(),
        n => format!("{n} arguments"),
    }
}
