//! What programs become.

#[path = "hir/host.rs"]
mod host;
#[path = "hir/outlining.rs"]
mod outlining;
mod support;
#[path = "hir/whole.rs"]
mod whole;

use expect_test::Expect;
use support::compile_text;

#[track_caller]
fn lowers(text: &str, expected: Expect) {
    lowers_for(text, false, expected);
}

#[track_caller]
fn lowers_for(text: &str, on_device: bool, expected: Expect) {
    let (sources, compiled) = compile_text(text, on_device);
    let program = match compiled {
        Ok(program) => program.to_string(),
        Err(faults) => {
            let rendered: String = faults.iter().map(|fault| fault.render(&sources)).collect();
            panic!("{rendered}");
        }
    };
    expected.assert_eq(&program);
}
