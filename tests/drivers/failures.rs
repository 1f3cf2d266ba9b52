//! Each call of a driver fails in turn.

use std::collections::BTreeSet;
use std::fs;

use neuro_hir::Tier;

use crate::stand_in::StandIn;

/// Two launches, memory between them, a status word, a tensor of no elements, and one that is
/// copied on the device before it is written.
const PROGRAM: &str = "\
@gpu
func f(a: &Tensor<i32, [8, 8]>) -> Tensor<i32, [8, 8]> { (a @ a) * a }
func all() -> (Tensor<i32, [8, 8]>, i32) {
    val a = Tensor::<i32, [8, 8]>::ones()
    val none = Tensor::<i32, [0]>::zeros()
    mut w = f(&a)
    val before = w.clone()
    w += a
    (w - before, (&none + &none).sum())
}
";

const OUT_OF_MEMORY: i32 = 2;
const LAUNCH_FAILED: i32 = 719;

/// The functions that give something back: what one of them refuses is the driver's still.
const GIVE_BACK: [(&str, &str); 4] = [
    ("Free", "buffers"),
    ("ModuleUnload", "modules"),
    ("StreamDestroy", "streams"),
    ("CtxRelease", "contexts"),
];

fn each_call(stand_in: &StandIn, names: [(i32, &str); 2]) {
    let program = stand_in.path("f.nr");
    fs::write(&program, PROGRAM).unwrap();
    stand_in.learn(&program, &["all"], Tier::Checked);
    let run = |fail: &str| {
        for result in ["r.0.npy", "r.1.npy"] {
            let _ = fs::remove_file(stand_in.path(result));
        }
        let words = ["f.nr", "--entry", "all", "--hash", "--out", "r.npy"];
        let mut command = stand_in.run(&stand_in.path(""), &words);
        let output = command.env("STAND_IN_FAIL", fail).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr),
        )
    };
    let good = run("none:1:1");
    assert_eq!((good.0, good.2.as_str()), (Some(0), ""));
    let whole = stand_in.report();
    assert!(whole.leaks().is_empty(), "{whole:?}");
    // Each function but the names of errors'.
    let functions = match stand_in.engine {
        "cuda" => 19,
        _ => 17,
    };
    assert_eq!(whole.calls.len(), functions, "{whole:?}");
    for (function, &count) in &whole.calls {
        let (code, name) = match function.contains("Alloc") {
            true => names[0],
            false => names[1],
        };
        for number in BTreeSet::from([1, (count / 2).max(1), count]) {
            let seen = run(&format!("{function}:{number}:{code}"));
            let report = stand_in.report();
            let context = format!("{function} {number} of {count}: {seen:?} {report:?}");
            let given_back = GIVE_BACK.iter().find(|(part, _)| function.contains(part));
            let may_be_late = given_back.is_some() || function.contains("Set");
            if seen.0 == Some(0) && may_be_late {
                let warning = format!(
                    "warning: the device did not take back what the run had of it: \
                     {function}: {name}\n"
                );
                let (out, err) = (&good.1, &warning);
                assert_eq!((&seen.1, &seen.2), (out, err), "{context}");
            } else {
                assert_eq!((seen.0, seen.1.as_str()), (Some(1), ""), "{context}");
                assert!(seen.2.contains(&format!("{function}: {name}")), "{context}");
            }
            let files = fs::read_dir(stand_in.path("")).unwrap();
            let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
            let results = names.filter(|name| name.contains(".npy")).count();
            assert_eq!(results, if seen.0 == Some(0) { 2 } else { 0 }, "{context}");
            // What the driver did not take back is left.
            let left = given_back.map(|(_, kind)| format!("1 {kind}"));
            if !function.contains("Set") {
                assert_eq!(report.leaks(), Vec::from_iter(left), "{context}");
            }
        }
    }
}

#[test]
fn each_call_of_cuda() {
    let names = [
        (OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"),
        (LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"),
    ];
    each_call(&StandIn::cuda(), names);
}

#[test]
fn each_call_of_hip() {
    let names = [
        (OUT_OF_MEMORY, "hipErrorOutOfMemory"),
        (LAUNCH_FAILED, "hipErrorLaunchFailure"),
    ];
    each_call(&StandIn::hip(), names);
}
