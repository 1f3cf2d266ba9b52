//! Kernels written once for both vendors, and launches of them.
#![allow(dead_code, reason = "each test uses a part")]

use std::ffi::c_void;

use gpu_emulator::{
    Emulator, EmulatorError, Launch, Module, Options, Placement, Vendor, Violation,
};

pub const VENDORS: [Vendor; 2] = [Vendor::Nvidia, Vendor::Amd];

/// Device code, in which KERNEL begins a kernel, THREAD and BLOCK are calls of the position along
/// x, and BARRIER is one.
pub fn code(vendor: Vendor, text: &str) -> String {
    let (triple, kernel, thread, block, barrier) = match vendor {
        Vendor::Nvidia => (
            "nvptx64-nvidia-cuda",
            "define ptx_kernel void",
            "call i32 @llvm.nvvm.read.ptx.sreg.tid.x()",
            "call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()",
            "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)",
        ),
        Vendor::Amd => (
            "amdgcn-amd-amdhsa",
            "define amdgpu_kernel void",
            "call i32 @llvm.amdgcn.workitem.id.x()",
            "call i32 @llvm.amdgcn.workgroup.id.x()",
            "call void @llvm.amdgcn.s.barrier()",
        ),
    };
    let text = text
        .replace("KERNEL", kernel)
        .replace("THREAD", thread)
        .replace("BLOCK", block)
        .replace("BARRIER", barrier);
    format!("target triple = \"{triple}\"\n{text}")
}

/// A device with a module.
pub struct Device {
    pub emulator: Emulator,
    pub module: Module,
}

impl Device {
    pub fn new(options: Options, text: &str) -> Device {
        let emulator = Emulator::new(options).unwrap();
        let module = emulator
            .load(code(options.vendor, text).as_bytes())
            .unwrap();
        Device { emulator, module }
    }

    /// A buffer of these numbers.
    pub fn buffer(&self, numbers: &[i32]) -> u64 {
        let bytes: Vec<u8> = numbers
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        let address = self.emulator.allocate(bytes.len() as u64).unwrap();
        self.emulator.write(address, &bytes).unwrap();
        address
    }

    pub fn numbers(&self, address: u64, count: usize) -> Vec<i32> {
        let mut bytes = vec![0; count * 4];
        self.emulator.read(address, &mut bytes).unwrap();
        let words = bytes.chunks_exact(4);
        words
            .map(|word| i32::from_le_bytes(word.try_into().unwrap()))
            .collect()
    }

    /// Launches a kernel whose parameters are all 64 bits wide.
    pub fn launch(
        &self,
        kernel: &str,
        grid: u64,
        block: u64,
        arguments: &[u64],
    ) -> Result<(), EmulatorError> {
        let arguments: Vec<*const c_void> = arguments
            .iter()
            .map(|argument| std::ptr::from_ref(argument).cast())
            .collect();
        let launch = Launch {
            kernel,
            grid: [grid, 1, 1],
            block: [block, 1, 1],
            arguments: &arguments,
        };
        // SAFETY: the tests' kernels take 64-bit words.
        unsafe { self.emulator.launch(&self.module, &launch) }
    }

    /// What the launch is reported for.
    pub fn report(&self, kernel: &str, grid: u64, block: u64, arguments: &[u64]) -> String {
        match self.launch(kernel, grid, block, arguments) {
            Err(EmulatorError::Report(report)) => report.to_string(),
            other => panic!("{other:?}"),
        }
    }

    pub fn violation(&self, kernel: &str, grid: u64, block: u64, arguments: &[u64]) -> Violation {
        match self.launch(kernel, grid, block, arguments) {
            Err(EmulatorError::Report(report)) => report.violation,
            other => panic!("{other:?}"),
        }
    }
}

/// Every way in which a device of the vendor is emulated.
pub fn modes(vendor: Vendor) -> impl Iterator<Item = Options> {
    let placements = [Placement::End, Placement::Start];
    placements.into_iter().flat_map(move |placement| {
        [false, true].into_iter().flat_map(move |checked| {
            [0, 1, 7].map(|seed| Options {
                seed,
                placement,
                checked,
                ..Options::new(vendor)
            })
        })
    })
}

/// The checked mode.
pub fn checked(vendor: Vendor) -> Options {
    Options {
        checked: true,
        ..Options::new(vendor)
    }
}

/// `double(from, to, count)`: each thread below the count, in blocks of 32, doubles an element.
pub const DOUBLE: &str = "
KERNEL @double(ptr %from, ptr %to, i64 %count) {
  %block = BLOCK
  %thread = THREAD
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
}
";

/// `reverse(from, to)`: a block of 64 threads reverses 64 elements through shared memory.
pub const REVERSE: &str = "
@tile = internal addrspace(3) global [64 x i32] undef, align 4
KERNEL @reverse(ptr %from, ptr %to) {
  %block = BLOCK
  %thread = THREAD
  %first = mul i32 %block, 64
  %i = add i32 %first, %thread
  %at = getelementptr i32, ptr %from, i32 %i
  %x = load i32, ptr %at
  %mine = getelementptr i32, ptr addrspace(3) @tile, i32 %thread
  store i32 %x, ptr addrspace(3) %mine
  BARRIER
  %other = sub i32 63, %thread
  %theirs = getelementptr i32, ptr addrspace(3) @tile, i32 %other
  %y = load i32, ptr addrspace(3) %theirs
  %place = getelementptr i32, ptr %to, i32 %i
  store i32 %y, ptr %place
  ret void
}
";
