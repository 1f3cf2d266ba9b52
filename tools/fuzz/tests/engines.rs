//! The engines agree on a fixed number of programs.

use std::process::Command;

/// What a campaign prints, which must find nothing.
fn campaign(words: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_neuro-fuzz"))
        .args(words)
        .args(["--out", &std::env::temp_dir().to_string_lossy()])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(text.contains("\ncalls that panic "), "{text}");
    text.into_owned()
}

#[test]
fn the_engines_agree() {
    let text = campaign(&["--seed", "1", "--programs", "400"]);
    assert!(text.contains("\n400 programs, "), "{text}");
}

#[test]
fn the_emulated_devices_agree() {
    let engines = "interpreter,emulated-nvidia,emulated-amd";
    let text = campaign(&["--seed", "2", "--programs", "240", "--engines", engines]);
    assert!(text.contains("\n240 programs, "), "{text}");
    for engine in ["emulated-amd", "emulated-nvidia"] {
        let share = text.lines().find(|line| line.starts_with(engine));
        assert!(
            share.is_some_and(|line| line.contains(" ran on the device")),
            "{text}"
        );
    }
}
