//! Whole programs through each driver: what the interpreter prints, and nothing left behind.

use std::fs;
use std::process::Output;

use neuro_hir::Tier;

use crate::filetest::FileTest;
use crate::stand_in::StandIn;
use crate::support;

/// The first command of each file test that a GPU engine runs. The kernels are those of the
/// emulated engines, which run every command.
fn file_tests(stand_in: &StandIn, emulated: &str) {
    let folder = support::folder("filetests");
    let (mut compared, mut launched) = (0, 0);
    for name in support::programs(&folder) {
        let test = FileTest::parse(&fs::read_to_string(folder.join(&name)).unwrap()).unwrap();
        if !test.engines.iter().any(|engine| engine == emulated) {
            continue;
        }
        let words: Vec<&str> = test.runs[0].words.iter().map(String::as_str).collect();
        let after = |option: &str| {
            let at = words.iter().position(|word| *word == option)?;
            words.get(at + 1).copied()
        };
        let tier = match after("--overflow") {
            Some("wrapping") => Tier::Wrapping,
            _ => Tier::Checked,
        };
        stand_in.learn(
            &folder.join(&name),
            &[after("--entry").unwrap_or("main")],
            tier,
        );
        let words = [&[name.as_str()], &words[..]].concat();
        let mut expected = support::neuro_mlir();
        expected.current_dir(&folder).arg("run").args(&words);
        let expected = expected.args(["--engine", "interpreter"]).output().unwrap();
        let seen = stand_in.run(&folder, &words).output().unwrap();
        assert_eq!(all(&seen), all(&expected), "{words:?}");
        compared += 1;
        // A program with an error is not brought to a device.
        if stand_in.path("report").exists() {
            let report = stand_in.report();
            assert!(report.leaks().is_empty(), "{words:?}: {report:?}");
            let launches = report.calls.iter();
            launched += launches
                .filter(|(function, _)| function.contains("LaunchKernel"))
                .count();
            fs::remove_file(stand_in.path("report")).unwrap();
        }
    }
    println!(
        "{}: {compared} programs, {launched} with kernels",
        stand_in.engine
    );
    assert!(
        launched >= 20,
        "{launched} of {compared} programs have kernels"
    );
}

fn all(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn file_tests_by_cuda() {
    file_tests(&StandIn::cuda(), "emulated-nvidia");
}

#[test]
fn file_tests_by_hip() {
    file_tests(&StandIn::hip(), "emulated-amd");
}
