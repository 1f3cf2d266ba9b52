//! What a run asks of its device.

use std::sync::Mutex;

use frontend::Options as FrontEnd;
use neuro_hir::Tier;
use runtime::{Call, DeviceError, Watch, Watched};
use shared_types::{SourceFile, SourceMap};
use tensor::Tensor;

use super::*;
use crate::engine::{Engine, Silent};

/// Notes the calls that copy, and makes each fail after so many that give something out or do
/// something.
struct Failing {
    copies: Mutex<Vec<&'static str>>,
    left: Mutex<u64>,
}

impl Watch for Failing {
    fn before(&self, call: &Call<'_>) -> Result<(), DeviceError> {
        let (call, gives_back) = (call.name(), call.gives_back());
        if let "write" | "read" | "copy" = call {
            self.copies.lock().unwrap().push(call);
        }
        let mut left = self.left.lock().unwrap();
        if gives_back || *left > 0 {
            *left -= u64::from(!gives_back);
            return Ok(());
        }
        let name = "TEST_ERROR".to_string();
        Err(match call {
            "allocate" => DeviceError::OutOfMemory {
                call,
                name,
                bytes: 16,
            },
            _ => DeviceError::Driver { call, name },
        })
    }
}

fn emulated() -> Arc<EmulatedDevice> {
    let options = Options {
        checked: true,
        ..Options::new(gpu_emulator::Vendor::Nvidia)
    };
    Arc::new(EmulatedDevice::new(options).unwrap())
}

/// The device with calls that fail after so many.
fn failing(device: &Arc<EmulatedDevice>, left: u64) -> Arc<Watched<Failing>> {
    let watch = Failing {
        copies: Mutex::default(),
        left: Mutex::new(left),
    };
    Arc::new(Watched::new(device.clone(), watch))
}

/// `func f(a: &Tensor<f32, [4]>, n: i32) -> Tensor<f32, [4]>` with this body.
fn program(body: &str, sources: &mut SourceMap) -> HirProgram {
    let text = format!("func f(a: &Tensor<f32, [4]>, n: i32) -> Tensor<f32, [4]> {{\n{body}\n}}\n");
    compiled(text, sources)
}

fn compiled(text: String, sources: &mut SourceMap) -> HirProgram {
    let file = sources.add(SourceFile::new("f.nr", text));
    let options = FrontEnd {
        tier: Tier::Checked,
        on_device: true,
    };
    frontend::compile(sources, file, options).unwrap()
}

/// The result of 5 rounds from the arguments `a`, which is written by nobody.
fn run(program: &HirProgram, engine: Engine, a: &Tensor) -> Result<Tensor, Failure> {
    let f = program.function("f").unwrap();
    let n = Scalar::I32(5);
    let host = Silent(engine);
    let value = Interpreter::new(program, &host).call(f, &mut [a.clone().into(), n.into()])?;
    let Value::Tensor(result) = value else {
        panic!("{value:?}");
    };
    Ok(result)
}

fn gpu(program: &HirProgram, device: Arc<Watched<Failing>>) -> Engine {
    let options = GpuOptions {
        takes: &|_| true,
        chip: Chip::find(Vendor::Nvidia, "sm_90").unwrap(),
        form: Form::Bitcode,
        math: Some(true),
        failures: Failures::Report,
    };
    let gpu = Gpu::compile(program, ["f"], options, device).unwrap();
    Engine::Gpu("emulated-nvidia", gpu)
}

fn ones() -> Tensor {
    Tensor::from_slice(&[4], &[1.0f32, 2.0, 3.0, 4.0]).unwrap()
}

/// Runs a body as the interpreter does, and gives the copies that it took.
#[track_caller]
fn copies(body: &str) -> Vec<&'static str> {
    let program = program(body, &mut SourceMap::default());
    let device = emulated();
    let watched = failing(&device, u64::MAX);
    let a = ones();
    let found = run(&program, gpu(&program, watched.clone()), &a).unwrap();
    let expected = run(&program, Engine::Interpreter, &a).unwrap();
    assert!(found.same_bits(&expected), "{found} and {expected}");
    assert!(a.same_bits(&ones()));
    drop((a, found));
    assert_eq!(device.in_use(), 0);
    std::mem::take(&mut watched.watch().copies.lock().unwrap())
}

#[test]
fn a_loop_copies_its_operands_once() {
    let body = "
mut w = a + 1.0f32
for i in 0..n {
    w = w * 0.5f32 + a
    w += a
}
w";
    assert_eq!(copies(body), ["write", "read"]);
}

#[test]
fn a_tensor_that_is_shared_is_copied_on_the_device_before_it_is_written() {
    let body = "
mut w = a.clone()
val before = w.clone()
for i in 0..n { w += a }
w - before";
    assert_eq!(copies(body), ["write", "copy", "read"]);
}

#[test]
fn elements_are_fetched_once_until_an_operation_writes() {
    let body = "
mut w = a * 2.0f32
mut s = 0.0f32
for i in 0..n { s += w[i % 4] * w[0] }
w += s
w[1] = w[2] + s
w[2] = s
val kept = w.clone()
w[3] = s
w + kept";
    // The products, the sum with it, the two that the last operation takes, and its result.
    assert_eq!(
        copies(body),
        ["write", "read", "read", "write", "write", "read"]
    );
}

#[test]
fn what_runs_on_the_host_is_copied_there_and_back() {
    let body = "
val w = a * 2.0f32
mut wide = w.map(|x: f32| -> bool { x > 1.0f32 }).map(|x: bool| -> f32 { if x { 1.0f32 } else { 0.0f32 } })
wide += w
wide";
    assert_eq!(copies(body), ["write", "read", "write", "read"]);
}

#[test]
fn each_call_of_a_driver_may_fail_and_nothing_is_left() {
    let body = "
mut w = a.clone()
w += a
w[0] = w[1]
mut half = w.map(|x: f32| -> f32 { x / 2.0f32 })
half += w
half";
    let mut sources = SourceMap::default();
    let program = program(body, &mut sources);
    let mut failed = Vec::new();
    let device = emulated();
    for calls in 0.. {
        let engine = gpu(&program, failing(&device, calls));
        // A result has a mirror on the device.
        let result = run(&program, engine, &ones()).map(drop);
        assert_eq!(device.in_use(), 0, "after {calls} calls");
        let Err(failure) = result else { break };
        let fault = Fault::from(failure);
        assert_eq!(fault.status(), 1, "{fault}");
        let text = fault.text(&sources);
        assert!(text.starts_with("f.nr:"), "{text}");
        let call = text.split(": TEST_ERROR").next().unwrap_or_default();
        failed.push(call.rsplit(' ').next().unwrap_or_default().to_string());
    }
    for call in ["allocate", "write", "read", "copy", "load", "launch"] {
        assert!(failed.iter().any(|one| one == call), "{call}: {failed:?}");
    }
}

#[test]
fn what_never_ends_on_an_emulated_device_is_the_programs_failure() {
    let kernel = "
@kernel(threads: [2])
func spin(out: &mut Tensor<f32, [4]>) { while out[thread_id.x] > 0.0 { } }
func f(a: &Tensor<f32, [4]>, n: i32) -> Tensor<f32, [4]> {
    mut out = a.clone()
    spin(&mut out)
    out
}";
    // It has no effect but that.
    let idle = "
@kernel(threads: [2])
func spin(out: &mut Tensor<f32, [4]>) { while thread_id.x >= 0 { } }
func f(a: &Tensor<f32, [4]>, n: i32) -> Tensor<f32, [4]> {
    mut out = a.clone()
    spin(&mut out)
    out
}";
    let traversal = "
func f(a: &Tensor<f32, [4]>, n: i32) -> Tensor<f32, [4]> {
    a.map(|x: f32| -> f32 { loop { if x < 0.0 { break } }; x })
}";
    for (text, named) in [
        (kernel, "`__neuro_gpu_spin"),
        (idle, "`__neuro_gpu_spin"),
        (traversal, "`__neuro_gpu_f"),
    ] {
        let mut sources = SourceMap::default();
        let program = compiled(text.to_string(), &mut sources);
        for vendor in [gpu_emulator::Vendor::Nvidia, gpu_emulator::Vendor::Amd] {
            let options = Options {
                turns: 1000,
                ..Gpu::emulation(vendor)
            };
            let gpu = Gpu::emulated(&program, ["f"], options).unwrap();
            let failure = run(&program, Engine::Gpu("emulated", gpu), &ones()).unwrap_err();
            let fault = Fault::from(failure);
            assert_eq!(fault.status(), 1, "{fault}");
            let text = fault.text(&sources);
            assert!(text.starts_with("f.nr:3:"), "{text}");
            assert!(text.contains(named), "{text}");
            assert!(
                text.contains(" has not ended after 1000 turns of its loops"),
                "{text}"
            );
        }
    }
}
