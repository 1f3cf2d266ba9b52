use neuro_hir::HirExpr;
use shared_types::Span;
use tensor::{Scalar, format};

use super::Stop;
use super::expr::unexpected;
use crate::frame::Frame;
use crate::{Failure, Interpreter, Value};

impl<'p> Interpreter<'p, '_> {
    /// One line, a space between values.
    pub(super) fn print(
        &mut self,
        frame: &Frame<'p>,
        values: &'p [HirExpr],
    ) -> Result<Value<'p>, Stop<'p>> {
        let mut texts = Vec::new();
        for value in values {
            let printed = self.read(frame, value)?;
            texts.push(text(&printed, value.span)?);
        }
        let line = texts.join(" ");
        self.host.print(&line).map_err(Failure::Host)?;
        Ok(Value::Void)
    }
}

/// As NumPy prints it, but for a truth value, which is the language's own word, and for a tensor's
/// lines, which are one.
fn text(value: &Value<'_>, span: Span) -> Result<String, Failure> {
    match value {
        Value::Scalar(Scalar::Bool(value)) => Ok(value.to_string()),
        Value::Scalar(scalar) => Ok(format::scalar(*scalar)),
        Value::String(string) => Ok(string.to_string()),
        Value::Tensor(tensor) => Ok(format::one_line(tensor)),
        other @ (Value::Void
        | Value::Remote(_)
        | Value::Tuple(_)
        | Value::Struct(_)
        | Value::Function(_)
        | Value::Reference(_)) => Err(unexpected("a scalar, a string or a tensor", other, span)),
    }
}
