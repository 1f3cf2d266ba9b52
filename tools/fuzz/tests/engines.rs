//! The engines agree on a fixed number of programs.

use std::process::Command;

#[test]
fn the_engines_agree() {
    let output = Command::new(env!("CARGO_BIN_EXE_neuro-fuzz"))
        .args(["--seed", "1", "--programs", "400"])
        .args(["--out", &std::env::temp_dir().to_string_lossy()])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(text.contains("\n400 programs, "), "{text}");
    assert!(text.contains("\ncalls that panic "), "{text}");
}
