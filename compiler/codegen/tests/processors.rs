//! Every name that is read as a processor is one to LLVM, which answers another one by printing.

use std::process::Command;

use codegen::{Processor, compile};

const CHILD: &str = "NEURO_TEST_CHILD";

#[test]
fn llvm_knows_every_name() {
    if std::env::var_os(CHILD).is_some() {
        for name in Processor::names() {
            let processor = name.parse().unwrap();
            compile(
                "define void @f() { ret void }",
                &[],
                &processor,
                |_, _, _| Ok(()),
            )
            .unwrap();
        }
        return;
    }
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "llvm_knows_every_name", "--nocapture"]);
    let output = child.env(CHILD, "1").output().unwrap();
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}");
    assert!(!printed.contains("processor"), "{printed}");
}
