//! Devices that cannot be used: status 1 before anything runs.

use std::fs;
use std::process::Command;

use crate::stand_in::StandIn;

const PROGRAM: &str = "func main() { print(1) }";

fn stand_ins() -> [StandIn; 2] {
    let stand_ins = [StandIn::cuda(), StandIn::hip()];
    for stand_in in &stand_ins {
        fs::write(stand_in.path("f.nr"), PROGRAM).unwrap();
    }
    stand_ins
}

#[track_caller]
fn refused(command: &mut Command, reason: &str) {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let seen = (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    );
    assert_eq!((seen.0, seen.1.as_str()), (Some(1), ""), "{seen:?}");
    let expected = format!("error: no usable device: {reason}");
    assert!(seen.2.starts_with(&expected), "{seen:?}");
}

fn run(stand_in: &StandIn) -> Command {
    stand_in.run(&stand_in.path(""), &["f.nr"])
}

#[test]
fn no_device() {
    let [cuda, hip] = stand_ins();
    refused(
        run(&cuda).env("STAND_IN_DEVICES", "0"),
        "cuInit: CUDA_ERROR_NO_DEVICE\n",
    );
    refused(
        run(&hip).env("STAND_IN_DEVICES", "0"),
        "hipInit: hipErrorNoDevice\n",
    );
}

#[test]
fn a_chip_that_no_code_is_made_for() {
    let [cuda, hip] = stand_ins();
    refused(
        run(&cuda).env("STAND_IN_CHIP", "1.3"),
        "`sm_13` is no known GPU chip",
    );
    refused(
        run(&hip).env("STAND_IN_CHIP", "gfx943:xnack-"),
        "`gfx943` is no known GPU chip",
    );
}

#[test]
fn a_newer_chip_of_nvidia_runs_what_is_made_for_an_older_one() {
    let [cuda, _] = stand_ins();
    let output = run(&cuda).env("STAND_IN_CHIP", "99.9").output().unwrap();
    assert_eq!(output.stdout, b"1\n");
}

#[test]
fn a_library_that_is_another() {
    let [cuda, hip] = stand_ins();
    for (stand_in, reason) in [
        (&cuda, "`libcuda.so.1` has no function `cuGetErrorName`\n"),
        (
            &hip,
            "`libamdhip64.so.7` has no function `hipDrvGetErrorName`\n",
        ),
    ] {
        let empty = stand_in.path("empty.so");
        let source = stand_in.path("empty.c");
        fs::write(&source, "").unwrap();
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-o"]).args([&empty, &source]);
        assert!(cc.status().unwrap().success());
        stand_in.replace_library(&empty);
        refused(&mut run(stand_in), reason);
    }
}

/// The driver's compiler has a log.
#[test]
fn kernels_that_a_driver_does_not_take() {
    let [cuda, hip] = stand_ins();
    let program = "func main() { val a = Tensor::<f32, [8]>::ones()\n print((&a + &a).sum()) }";
    for (stand_in, reason) in [
        (
            &cuda,
            "cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX: no kernels ",
        ),
        (
            &hip,
            "hipModuleLoadDataEx: hipErrorNoBinaryForGpu: no kernels ",
        ),
    ] {
        fs::write(stand_in.path("f.nr"), program).unwrap();
        let output = run(stand_in).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains(reason), "{errors}");
        assert!(stand_in.report().leaks().is_empty());
    }
}
