//! Host code that launches kernels, shaped as MLIR's, on emulated devices and on ones that fail.

use std::cell::Cell;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use gpu_emulator::{EmulatedDevice, Options, Vendor};
use runtime::{
    Argument, Call, Device, DeviceError, DeviceTensor, GpuJit, Parameter, RuntimeError, Signature,
    Usage, Watch, Watched,
};
use shared_types::ScalarType;
use tensor::Tensor;

/// `double(from, to, count)`, 32 threads a block.
fn kernels(vendor: Vendor) -> String {
    let (triple, convention, block, thread) = match vendor {
        Vendor::Nvidia => (
            "nvptx64-nvidia-cuda",
            "ptx_kernel",
            "@llvm.nvvm.read.ptx.sreg.ctaid.x()",
            "@llvm.nvvm.read.ptx.sreg.tid.x()",
        ),
        Vendor::Amd => (
            "amdgcn-amd-amdhsa",
            "amdgpu_kernel",
            "@llvm.amdgcn.workgroup.id.x()",
            "@llvm.amdgcn.workitem.id.x()",
        ),
    };
    format!(
        "target triple = \"{triple}\"
define {convention} void @double(ptr %from, ptr %to, i64 %count) {{
  %block = call i32 {block}
  %thread = call i32 {thread}
  %first = mul i32 %block, 32
  %narrow = add i32 %first, %thread
  %i = zext i32 %narrow to i64
  %inside = icmp ult i64 %i, %count
  br i1 %inside, label %work, label %done
work:
  %at = getelementptr i32, ptr %from, i64 %i
  %x = load i32, ptr %at
  %y = add i32 %x, %x
  %place = getelementptr i32, ptr %to, i64 %i
  store i32 %y, ptr %place
  br label %done
done:
  ret void
}}"
    )
}

/// A module with `f(a, r)`, which doubles a vector twice, by way of a buffer of its own. `extra`
/// is done at the end.
fn host(image: &str, kernel: &str, extra: &str) -> String {
    let mut bytes = String::new();
    for byte in image.bytes() {
        write!(bytes, "\\{byte:02x}").unwrap();
    }
    let size = image.len();
    let name_size = kernel.len() + 1;
    let launch = |from: &str, to: &str| {
        format!(
            "store ptr {from}, ptr %from
  store ptr {to}, ptr %to
  %module{from_} = load ptr, ptr @module
  %kernel{from_} = call ptr @mgpuModuleGetFunction(ptr %module{from_}, ptr @name)
  call void @mgpuLaunchKernel(ptr %kernel{from_}, i64 %grid, i64 1, i64 1, i64 32, i64 1, i64 1,
    i32 0, ptr %stream, ptr %arguments, ptr null, i64 3)",
            from_ = &from[1..]
        )
    };
    format!(
        "@image = internal constant [{size} x i8] c\"{bytes}\", align 8
@module = internal global ptr null
@name = private constant [{name_size} x i8] c\"{kernel}\\00\"
@llvm.global_ctors = appending global [1 x {{ i32, ptr, ptr }}]
  [{{ i32, ptr, ptr }} {{ i32 123, ptr @load, ptr null }}]
@llvm.global_dtors = appending global [1 x {{ i32, ptr, ptr }}]
  [{{ i32, ptr, ptr }} {{ i32 123, ptr @unload, ptr null }}]
declare ptr @mgpuModuleLoad(ptr, i64)
declare void @mgpuModuleUnload(ptr)
declare ptr @mgpuModuleGetFunction(ptr, ptr)
declare ptr @mgpuStreamCreate()
declare void @mgpuStreamSynchronize(ptr)
declare void @mgpuStreamDestroy(ptr)
declare void @mgpuLaunchKernel(ptr, i64, i64, i64, i64, i64, i64, i32, ptr, ptr, ptr, i64)
declare ptr @_mlir_memref_to_llvm_alloc(i64)
declare void @_mlir_memref_to_llvm_free(ptr)
define internal void @load() {{
  %m = call ptr @mgpuModuleLoad(ptr @image, i64 {size})
  store ptr %m, ptr @module
  ret void
}}
define internal void @unload() {{
  %m = load ptr, ptr @module
  call void @mgpuModuleUnload(ptr %m)
  ret void
}}
define void @f(ptr %a0, ptr %a, i64 %a2, i64 %n, i64 %a4, ptr %r0, ptr %r, i64 %r2, i64 %r3, i64 %r4) {{
  %from = alloca ptr
  %to = alloca ptr
  %count = alloca i64
  %arguments = alloca [3 x ptr]
  %second = getelementptr ptr, ptr %arguments, i64 1
  %third = getelementptr ptr, ptr %arguments, i64 2
  store ptr %from, ptr %arguments
  store ptr %to, ptr %second
  store ptr %count, ptr %third
  store i64 %n, ptr %count
  %more = add i64 %n, 31
  %grid = udiv i64 %more, 32
  %bytes = mul i64 %n, 4
  %own = call ptr @_mlir_memref_to_llvm_alloc(i64 %bytes)
  %stream = call ptr @mgpuStreamCreate()
  {}
  {}
  call void @mgpuStreamSynchronize(ptr %stream)
  call void @mgpuStreamDestroy(ptr %stream)
  {extra}
  ret void
}}",
        launch("%a", "%own"),
        launch("%own", "%r"),
    )
}

const FREE: &str = "call void @_mlir_memref_to_llvm_free(ptr %own)";

fn signature(count: u64) -> [Signature; 1] {
    [Signature {
        symbol: "f".into(),
        parameters: vec![
            Parameter::Operand(ScalarType::I32, vec![count]),
            Parameter::Result(ScalarType::I32, vec![count]),
        ],
    }]
}

fn numbers(count: u64) -> Tensor {
    let numbers: Vec<i32> = (0..count as i32).map(|i| i * 7 - 50).collect();
    Tensor::from_slice(&[count], &numbers).unwrap()
}

/// Runs `f` on a vector: its result, and what it used.
fn run(ir: &str, device: Arc<dyn Device>, count: u64) -> Result<(Vec<i32>, Usage), RuntimeError> {
    let code = GpuJit::load(ir, &signature(count), device)?;
    let a = DeviceTensor::of(code.device(), &numbers(count))?;
    let r = Arc::new(DeviceTensor::empty(
        code.device(),
        ScalarType::I32,
        &[count],
    )?);
    let usage = code.call("f", &mut [Argument::Device(&a), Argument::Device(&r)])?;
    Ok((r.fetch()?.as_slice::<i32>()?.to_vec(), usage))
}

fn emulated(vendor: Vendor) -> Arc<EmulatedDevice> {
    let options = Options {
        checked: true,
        ..Options::new(vendor)
    };
    Arc::new(EmulatedDevice::new(options).unwrap())
}

const VENDORS: [Vendor; 2] = [Vendor::Nvidia, Vendor::Amd];

#[test]
fn a_body_runs_on_the_device() {
    for vendor in VENDORS {
        let device = emulated(vendor);
        let ir = host(&kernels(vendor), "double", FREE);
        for count in [1, 32, 100] {
            let (result, usage) = run(&ir, device.clone(), count).unwrap();
            let numbers = numbers(count);
            let expected = numbers.as_slice::<i32>().unwrap().iter().map(|x| x * 4);
            assert_eq!(result, expected.collect::<Vec<_>>());
            assert_eq!(usage, Usage { launches: 2 });
            assert_eq!(device.in_use(), 0);
        }
    }
}

/// Where no kernel is launched, no device code is loaded: a program runs without a GPU.
#[test]
fn kernels_are_loaded_where_they_are_launched() {
    let device = emulated(Vendor::Nvidia);
    let ir = host("nonsense", "double", FREE);
    drop(GpuJit::load(&ir, &signature(4), device.clone()).unwrap());
    let error = run(&ir, device.clone(), 4).unwrap_err().to_string();
    assert!(
        error.starts_with("load: the LLVM IR cannot be read"),
        "{error}"
    );
    assert_eq!(device.in_use(), 0);
}

#[test]
fn what_a_kernel_does_wrong_is_an_error() {
    let device = emulated(Vendor::Amd);
    let wrong = kernels(Vendor::Amd).replace("ptr %to, i64 %i", "ptr %to, i64 %count");
    let error = run(&host(&wrong, "double", FREE), device.clone(), 4).unwrap_err();
    let text = "launch: kernel `double`: thread [0, 0, 0] of block [0, 0, 0] writes 4 bytes at \
         byte 16 of buffer 3, which has 16";
    assert_eq!(error.to_string(), text);
    let missing = host(&kernels(Vendor::Amd), "triple", FREE);
    let error = run(&missing, device.clone(), 4).unwrap_err();
    assert_eq!(
        error.to_string(),
        "function: the device code has no kernel `triple`"
    );
    assert_eq!(device.in_use(), 0);
}

#[test]
fn host_code_that_touches_device_memory_is_an_error() {
    let device = emulated(Vendor::Nvidia);
    let touch = format!("store i32 1, ptr %r\n  {FREE}");
    let ir = host(&kernels(Vendor::Nvidia), "double", &touch);
    let error = run(&ir, device.clone(), 4).unwrap_err();
    let text = "run: host code writes at byte 0 of buffer 2, which has 16";
    assert_eq!(error.to_string(), text);
    assert_eq!(device.in_use(), 0);
}

#[test]
fn what_host_code_leaves_is_given_back() {
    let device = emulated(Vendor::Nvidia);
    let ir = host(&kernels(Vendor::Nvidia), "double", "");
    let error = run(&ir, device.clone(), 4).unwrap_err();
    assert_eq!(
        error.to_string(),
        "host code left 1 buffers and 0 streams behind"
    );
    assert_eq!(device.in_use(), 0);
}

#[test]
fn host_memory_is_not_given_to_kernels() {
    let device = emulated(Vendor::Nvidia);
    let ir = host(&kernels(Vendor::Nvidia), "double", FREE);
    let code = GpuJit::load(&ir, &signature(4), device.clone()).unwrap();
    let a = numbers(4);
    let mut r = numbers(4);
    let mut arguments = [Argument::Operand(&a), Argument::Result(&mut r)];
    let error = code.call("f", &mut arguments).unwrap_err();
    assert!(matches!(error, RuntimeError::OnHost { .. }), "{error}");
    let short = DeviceTensor::of(code.device(), &numbers(3)).unwrap();
    let mut arguments = [Argument::Device(&short), Argument::Device(&short)];
    let error = code.call("f", &mut arguments).unwrap_err();
    assert!(matches!(error, RuntimeError::Argument { .. }), "{error}");
}

/// Makes calls fail from one on that gives something out or does something; what gives back works.
struct Failing {
    left: AtomicI64,
}

thread_local! {
    /// How many calls were made to fail.
    static FAILED: Cell<u64> = const { Cell::new(0) };
}

impl Watch for Failing {
    fn before(&self, call: &Call<'_>) -> Result<(), DeviceError> {
        if call.gives_back() || self.left.fetch_sub(1, Ordering::Relaxed) > 0 {
            return Ok(());
        }
        FAILED.set(FAILED.get() + 1);
        let name = "TEST_ERROR".to_string();
        let call = call.name();
        Err(DeviceError::Driver { call, name })
    }
}

#[test]
fn each_call_of_a_driver_may_fail_and_nothing_is_left() {
    let device = emulated(Vendor::Nvidia);
    let ir = host(&kernels(Vendor::Nvidia), "double", FREE);
    let mut failures = Vec::new();
    for calls in 0.. {
        let failing = Failing {
            left: AtomicI64::new(calls),
        };
        let failing = Watched::new(device.clone(), failing);
        let result = run(&ir, Arc::new(failing), 4);
        assert_eq!(device.in_use(), 0);
        match result {
            Ok(_) => break,
            Err(error) => failures.push(error.to_string()),
        }
    }
    let expected = [
        "allocate",
        "write",
        "allocate",
        "allocate",
        "create_stream",
        "load",
        "function",
        "launch",
        "launch",
        "synchronize",
        "read",
    ];
    let expected = expected.map(|call| format!("{call}: TEST_ERROR"));
    assert_eq!(failures, expected);
    // After the first failure of a run the driver is asked for nothing more.
    assert_eq!(FAILED.get(), failures.len() as u64);
}
