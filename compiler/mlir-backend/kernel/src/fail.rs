//! Checks in the text, and what the failed ones do.

use mlir_gpu::Vendor;
use mlir_pipeline::location_text;
use shared_types::{ScalarType, Span};

use crate::body::{Body, Written, refused};
use crate::check::{
    CHECK_BITS, Failures, Fault, KernelCheck, MOST_CHECKS, PIECE_BITS, REPORT_WORDS,
};
use crate::text::{Text, Value, quoted, type_name};

/// What a failed check of a thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failing {
    /// Stops the thread by `cf.assert`, with a message.
    Assertion,
    /// Stops the thread, where there is no `cf.assert`.
    Trap,
    /// Lowers the words of a report, and ends the thread.
    Report,
    /// Ends the function, which gives the check's number.
    Number,
}

impl Failing {
    pub(crate) fn of(failures: Failures, vendor: Vendor) -> Failing {
        match (failures, vendor) {
            (Failures::Report, _) => Failing::Report,
            (Failures::Stop, Vendor::Nvidia) => Failing::Assertion,
            (Failures::Stop, Vendor::Amd) => Failing::Trap,
        }
    }

    /// The parameter that a failed check writes to, and its type.
    pub(crate) fn word(self) -> Option<(&'static str, String)> {
        match self {
            Failing::Assertion | Failing::Trap | Failing::Number => None,
            Failing::Report => Some(("%report", format!("memref<{REPORT_WORDS}xi64>"))),
        }
    }
}

impl Body<'_> {
    /// A check, which fails where `failed` is true; what follows is reached where it does not.
    /// `index` is what an index check tests.
    pub(crate) fn check(
        &mut self,
        failed: &Value,
        index: Option<&Value>,
        fault: Fault,
        span: Span,
    ) -> Written<()> {
        let message = quoted(&fault.to_string());
        self.checks.push(KernelCheck { fault, span });
        if self.failing == Failing::Assertion {
            let held = self.not(failed, span);
            let assertion = format!("cf.assert {}, {message}", held.name);
            self.text.act(span, &assertion);
            return Ok(());
        }
        if self.failing != Failing::Trap && self.checks.len() > MOST_CHECKS {
            return refused(span, "the 4,096th check of a kernel");
        }
        let label = match &self.failed {
            Some(label) => label.clone(),
            None => self.failed.insert(self.text.label()).clone(),
        };
        let mut arguments = Vec::new();
        if self.failing != Failing::Trap {
            let number = self.checks.len() as i128;
            arguments.push(self.constant(span, ScalarType::I64, number).name);
        }
        if self.failing == Failing::Report {
            arguments.push(match index {
                Some(index) => index.name.clone(),
                None => self.constant(span, ScalarType::I64, 0).name,
            });
        }
        let target = match arguments.len() {
            0 => label,
            count => {
                let types = ["i64"].repeat(count).join(", ");
                format!("{label}({} : {types})", arguments.join(", "))
            }
        };
        let passed = self.text.label();
        self.branch(span, failed, &target, &passed);
        self.text.place(&passed);
        Ok(())
    }

    /// The text of the region of a launch, once its body is written.
    pub(crate) fn finish(&mut self) -> String {
        let span = self.function.span;
        let end = self.end.clone();
        self.jump(span, &end);
        if let Some(failed) = self.failed.take() {
            self.fail(&failed, span);
            self.jump(span, &end);
        }
        self.text.place(&end);
        self.text.act(span, "gpu.terminator");
        self.region()
    }

    /// The text of the region of a function with that value, once its body is written.
    pub(crate) fn finish_function(&mut self, value: &Value) -> String {
        let span = self.function.span;
        let (name, ty) = (&value.name, type_name(value.scalar));
        let Some(failed) = self.failed.take() else {
            self.text.act(span, &format!("func.return {name} : {ty}"));
            return self.region();
        };
        let passed = self.constant(span, ScalarType::I64, 0).name;
        let both = format!("func.return {name}, {passed} : {ty}, i64");
        self.text.act(span, &both);
        self.text.place(&format!("{failed}(%check: i64)"));
        let nothing = self.zero(value.scalar, span).name;
        let both = format!("func.return {nothing}, %check : {ty}, i64");
        self.text.act(span, &both);
        self.region()
    }

    fn region(&mut self) -> String {
        let span = self.function.span;
        let start = self.text.label();
        let Text { entry, blocks, .. } = &self.text;
        let location = location_text(span);
        format!("{entry}  cf.br {start} {location}\n{start}:\n{blocks}")
    }

    /// The block that failed checks go to.
    fn fail(&mut self, label: &str, span: Span) {
        match self.failing {
            // A function has its own end.
            Failing::Number => {}
            Failing::Assertion | Failing::Trap => {
                self.text.place(label);
                self.text.act(span, "\"llvm.intr.trap\"() : () -> ()");
            }
            Failing::Report => {
                self.text
                    .place(&format!("{label}(%check: i64, %index: i64)"));
                self.lower(0, "%check", CHECK_BITS, span);
                for word in 1..REPORT_WORDS {
                    let from = (word - 1) * u64::from(PIECE_BITS);
                    let from = self.constant(span, ScalarType::I64, from.into()).name;
                    let shifted = self.of_words("shrui", "%index", &from, span);
                    let mask = (1 << PIECE_BITS) - 1;
                    let mask = self.constant(span, ScalarType::I64, mask).name;
                    let piece = self.of_words("andi", &shifted, &mask, span);
                    self.lower(word, &piece, PIECE_BITS, span);
                }
            }
        }
    }

    /// Lowers the word at a constant index to the thread's number and so many `low` bits.
    fn lower(&mut self, at: u64, low: &str, bits: u32, span: Span) {
        let Some((word, ty)) = self.failing.word() else {
            return;
        };
        let bits = self.constant(span, ScalarType::I64, bits.into()).name;
        let thread = self.position.number.clone();
        let thread = self.of_words("shli", &thread, &bits, span);
        let key = self.of_words("ori", &thread, low, span);
        let at = format!("arith.constant {at} : index");
        let at = self.text.emit(span, &at);
        let lowered = format!("memref.atomic_rmw minu {key}, {word}[{at}] : (i64, {ty}) -> i64");
        self.text.emit(span, &lowered);
    }

    fn of_words(&mut self, name: &str, left: &str, right: &str, span: Span) -> String {
        let operation = format!("arith.{name} {left}, {right} : i64");
        self.text.emit(span, &operation)
    }
}
