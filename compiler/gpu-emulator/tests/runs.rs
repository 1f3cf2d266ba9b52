//! What kernels compute, on both vendors' devices, in every mode.

mod support;

use gpu_emulator::{Emulator, EmulatorError, Options, Vendor};
use support::{DOUBLE, Device, REVERSE, VENDORS, code, modes};

fn numbers(count: i32) -> Vec<i32> {
    (0..count).map(|i| i * i - 40 * i).collect()
}

#[test]
fn an_element_a_thread() {
    for options in VENDORS.into_iter().flat_map(modes) {
        let device = Device::new(options, DOUBLE);
        for count in [1, 31, 32, 33, 1000] {
            let numbers = numbers(count);
            let from = device.buffer(&numbers);
            let to = device.emulator.allocate(count as u64 * 4).unwrap();
            let grid = (count as u64).div_ceil(32);
            device
                .launch("double", grid, 32, &[from, to, count as u64])
                .unwrap();
            let expected: Vec<i32> = numbers.iter().map(|x| x * 2).collect();
            assert_eq!(device.numbers(to, numbers.len()), expected, "{options:?}");
            device.emulator.free(from).unwrap();
            device.emulator.free(to).unwrap();
        }
        assert_eq!(device.emulator.buffers(), 0);
        device.emulator.unload(device.module).unwrap();
    }
}

#[test]
fn threads_share_memory_and_wait() {
    for options in VENDORS.into_iter().flat_map(modes) {
        let device = Device::new(options, REVERSE);
        let numbers = numbers(64 * 5);
        let from = device.buffer(&numbers);
        let to = device.emulator.allocate(64 * 5 * 4).unwrap();
        device.launch("reverse", 5, 64, &[from, to]).unwrap();
        let blocks = numbers.chunks(64);
        let expected: Vec<i32> = blocks
            .flat_map(|block| block.iter().rev().copied())
            .collect();
        assert_eq!(device.numbers(to, numbers.len()), expected, "{options:?}");
    }
}

#[test]
fn atomic_updates_are_no_race() {
    let least = "
KERNEL @least(ptr %from, ptr %to) {
  %block = BLOCK
  %thread = THREAD
  %first = mul i32 %block, 32
  %i = add i32 %first, %thread
  %at = getelementptr i32, ptr %from, i32 %i
  %x = load i32, ptr %at
  %old = atomicrmw min ptr %to, i32 %x acq_rel
  ret void
}";
    for options in VENDORS.into_iter().flat_map(modes) {
        let device = Device::new(options, least);
        let numbers = numbers(320);
        let from = device.buffer(&numbers);
        let to = device.buffer(&[i32::MAX]);
        device.launch("least", 10, 32, &[from, to]).unwrap();
        assert_eq!(device.numbers(to, 1), [-400], "{options:?}");
    }
}

/// A result that depends on the order of blocks is another one with another seed.
#[test]
fn seeds_show_what_depends_on_the_order() {
    let last = "
KERNEL @last(ptr %to) {
  %block = BLOCK
  store i32 %block, ptr %to
  ret void
}";
    for vendor in VENDORS {
        let result = |seed| {
            let options = Options {
                seed,
                ..Options::new(vendor)
            };
            let device = Device::new(options, last);
            let to = device.buffer(&[0]);
            device.launch("last", 100, 1, &[to]).unwrap();
            device.numbers(to, 1)[0]
        };
        assert_eq!(result(0), 99);
        assert!((1..5).any(|seed| result(seed) != 99));
    }
}

/// AMD's code reads a block's extents from memory.
#[test]
fn implicit_arguments_are_the_extents() {
    let extents = "
KERNEL @extents(ptr %to) {
  %base = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %blocks = load i32, ptr addrspace(4) %base
  %place = getelementptr i8, ptr addrspace(4) %base, i64 12
  %narrow = load i16, ptr addrspace(4) %place
  %threads = zext i16 %narrow to i32
  %count = mul i32 %blocks, %threads
  store i32 %count, ptr %to
  ret void
}";
    let device = Device::new(Options::new(Vendor::Amd), extents);
    let to = device.buffer(&[0]);
    device.launch("extents", 7, 64, &[to]).unwrap();
    assert_eq!(device.numbers(to, 1), [448]);
}

/// A multiply and an add that the code has apart round twice.
#[test]
fn nothing_is_fused() {
    let chain = "
KERNEL @chain(ptr %a, ptr %to) {
  %x = load float, ptr %a
  %p = fmul float %x, %x
  %at = getelementptr float, ptr %a, i64 1
  %y = load float, ptr %at
  %s = fadd float %p, %y
  store float %s, ptr %to
  ret void
}";
    for vendor in VENDORS {
        let device = Device::new(Options::new(vendor), chain);
        let x = 1.0f32 + 2f32.powi(-12);
        let y = -(1.0f32 + 2f32.powi(-11));
        assert_ne!(x.mul_add(x, y), 0.0);
        let from = device.buffer(&[x.to_bits() as i32, y.to_bits() as i32]);
        let to = device.buffer(&[1]);
        device.launch("chain", 1, 1, &[from, to]).unwrap();
        assert_eq!(device.numbers(to, 1), [0]);
    }
}

#[test]
fn mathematics_is_the_c_librarys() {
    let exp = "
declare float @__nv_expf(float)
KERNEL @exp(ptr %x) {
  %a = load float, ptr %x
  %b = call float @__nv_expf(float %a)
  store float %b, ptr %x
  ret void
}";
    let device = Device::new(Options::new(Vendor::Nvidia), exp);
    let x = device.buffer(&[1.5f32.to_bits() as i32]);
    device.launch("exp", 1, 1, &[x]).unwrap();
    assert_eq!(device.numbers(x, 1), [1.5f32.exp().to_bits() as i32]);
}

#[test]
fn code_that_is_not_emulated_is_refused_by_name() {
    let load = |vendor, text: &str| {
        let emulator = Emulator::new(Options::new(vendor)).unwrap();
        let error = emulator.load(code(vendor, text).as_bytes()).err().unwrap();
        assert_eq!(emulator.buffers(), 0);
        error.to_string()
    };
    let calls = |callee: &str| {
        format!(
            "declare i32 {callee}
        KERNEL @k() {{ %x = call i32 {callee} ret void }}"
        )
    };
    for callee in [
        "@llvm.nvvm.read.ptx.sreg.laneid()",
        "@llvm.amdgcn.dispatch.id()",
        "@nobody()",
    ] {
        let name = callee.trim_matches(['@', '(', ')']);
        let text = format!("the device code uses `{name}`, which is not emulated");
        assert_eq!(load(Vendor::Nvidia, &calls(callee)), text);
    }
    let assembly = "KERNEL @k() { call void asm sideeffect \"bar.sync 0;\", \"\"() ret void }";
    assert!(load(Vendor::Nvidia, assembly).contains("assembly"));
    for text in ["nonsense", ""] {
        let emulator = Emulator::new(Options::new(Vendor::Amd)).unwrap();
        assert!(emulator.load(text.as_bytes()).is_err());
    }
}

#[test]
fn code_of_the_other_vendor_is_refused() {
    let emulator = Emulator::new(Options::new(Vendor::Amd)).unwrap();
    let error = emulator
        .load(code(Vendor::Nvidia, DOUBLE).as_bytes())
        .err()
        .unwrap();
    let text = "the device code is for `nvptx64-nvidia-cuda`, not for `amdgcn`";
    assert_eq!(error.to_string(), text);
}

#[test]
fn limits_are_the_chips() {
    let refused = |device: &Device, grid, block| {
        let result = device.launch("double", grid, block, &[0, 0, 0]);
        matches!(result, Err(EmulatorError::Limit { .. }))
    };
    for vendor in VENDORS {
        let device = Device::new(Options::new(vendor), DOUBLE);
        assert!(refused(&device, 1, 1025));
        assert!(refused(&device, 1, 0) && refused(&device, 0, 1));
        assert!(refused(&device, 1 << 31, 1) && refused(&device, u64::MAX, 1));
        device.launch("double", 3, 1024, &[0, 0, 0]).unwrap();
        let error = device.launch("double", 1, 1, &[0]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "kernel `double` takes 3 parameters, 1 were given"
        );
        let error = device.launch("triple", 1, 1, &[0]).unwrap_err();
        assert_eq!(error.to_string(), "the device code has no kernel `triple`");
    }
}

#[test]
fn limits_are_the_kernels() {
    let cases = [
        (Vendor::Nvidia, "\"nvvm.maxntid\"=\"64,1,1\"", "1 to 64"),
        (
            Vendor::Amd,
            "\"amdgpu-flat-work-group-size\"=\"32,64\"",
            "32 to 64",
        ),
    ];
    for (vendor, attribute, range) in cases {
        let text = format!("KERNEL @k() {attribute} {{ ret void }}");
        let device = Device::new(Options::new(vendor), &text);
        device.launch("k", 1, 64, &[]).unwrap();
        let error = device.launch("k", 1, 65, &[]).unwrap_err();
        assert!(error.to_string().ends_with(range), "{error}");
    }
}

#[test]
fn shared_memory_is_limited() {
    for (vendor, most) in [(Vendor::Nvidia, 48 << 10), (Vendor::Amd, 64 << 10)] {
        for bytes in [most, most + 1] {
            let text = format!(
                "@s = internal addrspace(3) global [{bytes} x i8] undef
                KERNEL @k() {{ store i8 1, ptr addrspace(3) @s ret void }}"
            );
            let device = Device::new(Options::new(vendor), &text);
            assert_eq!(device.launch("k", 1, 1, &[]).is_ok(), bytes == most);
        }
    }
}

#[test]
fn memory_that_is_not_there_is_an_error() {
    let emulator = Emulator::new(Options::new(Vendor::Nvidia)).unwrap();
    for bytes in [1 << 40, u64::MAX] {
        let error = emulator.allocate(bytes).unwrap_err();
        assert_eq!(error, EmulatorError::OutOfMemory { bytes });
    }
    let buffer = emulator.allocate(8).unwrap();
    assert!(emulator.write(buffer, &[0; 9]).is_err());
    assert!(emulator.read(buffer + 1, &mut [0; 8]).is_err());
    assert!(emulator.free(buffer + 1).is_err());
    emulator.free(buffer).unwrap();
    assert!(emulator.free(buffer).is_err());
    let empty = emulator.allocate(0).unwrap();
    emulator.write(empty, &[]).unwrap();
    emulator.free(empty).unwrap();
}
