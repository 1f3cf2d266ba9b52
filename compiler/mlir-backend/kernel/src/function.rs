//! The functions of traversals as the text of functions that kernels call (backend specification,
//! §`@kernel` functions).

use std::cell::RefCell;
use std::collections::HashMap;

use mlir_lowering::{Capture, CheckKind, ScalarCheck, ScalarFunction};
use mlir_pipeline::{NotLowered, location_text};
use neuro_hir::{HirExpr, HirFunction, HirProgram};
use shared_types::ScalarType;

use crate::body::{Body, Written, refused};
use crate::call::Calls;
use crate::callee::Callee;
use crate::check::{Fault, KernelCheck};
use crate::fail::Failing;
use crate::kernel::constants;
use crate::text::{Value, quoted, type_name};

/// The functions of a program's traversals, as they are asked for: each a private `func.func` that
/// is inlined wherever it is called.
pub struct Functions<'p> {
    program: &'p HirProgram,
    prefix: &'p str,
    constants: HashMap<&'p str, &'p HirExpr>,
    written: RefCell<Vec<String>>,
}

impl<'p> Functions<'p> {
    /// `prefix` stands before each name.
    pub fn new(program: &'p HirProgram, prefix: &'p str) -> Self {
        Functions {
            program,
            prefix,
            constants: constants(program),
            written: RefCell::default(),
        }
    }

    /// The function that an expression in `function` is: a closure, a function's name, or a
    /// parameter in whose place the only call passes one.
    ///
    /// # Errors
    /// What of it has no form, and where that stands.
    pub fn find(
        &self,
        function: &HirFunction,
        expr: &HirExpr,
    ) -> Result<ScalarFunction, NotLowered> {
        let mut written = self.written.borrow_mut();
        // A name that no function of a program has.
        let symbol = format!("{}{}.{}", self.prefix, function.name, written.len());
        let callee = Callee::of(self.program, function, expr);
        let found = callee.and_then(|callee| self.write(&callee, symbol));
        let (text, found) = found.map_err(|refused| refused.of(function))?;
        written.push(text);
        Ok(found)
    }

    /// The text of all that were found.
    pub fn text(self) -> String {
        self.written.into_inner().concat()
    }

    fn write(&self, callee: &Callee<'_>, symbol: String) -> Written<(String, ScalarFunction)> {
        let span = callee.span;
        let failing = Failing::Number;
        let mut body = Body::new(callee.owner, &self.constants, self.program.tier, failing);
        body.calls = Some(Calls::of(self.program));
        let mut signature = Vec::new();
        let mut taken = |scalar: ScalarType| {
            let name = format!("%p{}", signature.len());
            signature.push(format!("{name}: {}", type_name(scalar)));
            Value { name, scalar }
        };
        let mut captures = Vec::new();
        for &local in &callee.captures {
            let (declared, scalar) = callee.local(local)?;
            body.set(local, &taken(scalar), span)?;
            captures.push(Capture {
                local,
                name: declared.name.clone(),
                scalar,
            });
        }
        let mut arguments = Vec::new();
        for &local in &callee.parameters {
            let (_, scalar) = callee.local(local)?;
            arguments.push(taken(scalar));
        }
        let parameters = arguments.iter().map(|value| value.scalar).collect();
        let value = body.apply(callee, &arguments, span)?;
        let region = body.finish_function(&value);
        let checks = checks(&body.checks)?;
        let result = type_name(callee.result);
        let results = match checks.is_empty() {
            true => result.to_string(),
            false => format!("({result}, i64)"),
        };
        let (name, signature) = (quoted(&symbol), signature.join(", "));
        let location = location_text(span);
        let text = format!(
            "func.func private @{name}({signature}) -> {results} attributes \
             {{llvm.linkage = #llvm.linkage<internal>, llvm.always_inline}} \
             {{\n{region}}} {location}\n"
        );
        let found = ScalarFunction {
            symbol,
            captures,
            parameters,
            result: callee.result,
            checks,
            span,
        };
        Ok((text, found))
    }
}

/// The checks as those of a body with a status word.
fn checks(checks: &[KernelCheck]) -> Written<Vec<ScalarCheck>> {
    let all = checks.iter().map(|check| match check.fault {
        Fault::Overflow(operator) => Ok((operator, CheckKind::Overflow, check.span)),
        Fault::ZeroDivisor(operator) => Ok((operator, CheckKind::ZeroDivisor, check.span)),
        Fault::Index { .. } => refused(check.span, "an element of a tensor"),
    });
    all.collect()
}
