//! What LLVM and AMD's linker make without an error, and no device runs: functions that nothing
//! defines, and blocks that share more memory than there is.

mod elf;

use crate::{Chip, Form, Vendor};
use elf::Elf;

/// The bytes that the threads of a block may share: on NVIDIA what PTX may declare, on AMD what
/// every chip has.
const NVIDIA_SHARED: u64 = 48 << 10;
const AMD_SHARED: u64 = 64 << 10;

/// Says what is wrong with a binary, if anything.
pub(crate) fn inspect(binary: &[u8], chip: Chip, form: Form) -> Result<(), String> {
    match (chip.vendor, form) {
        (Vendor::Nvidia, Form::Native | Form::Assembly) => ptx(&String::from_utf8_lossy(binary)),
        (Vendor::Amd, Form::Native) => code_object(binary),
        // The emulator looks itself; AMD's assembly is only read.
        (Vendor::Nvidia | Vendor::Amd, Form::Bitcode) | (Vendor::Amd, Form::Assembly) => Ok(()),
    }
}

fn ptx(text: &str) -> Result<(), String> {
    // What the driver itself defines.
    let driver = ["__assertfail", "vprintf"];
    let external = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix(".extern .func"));
    for declared in external {
        let name = declared.split_whitespace().last().unwrap_or_default();
        let name = name.trim_end_matches('(');
        if !driver.contains(&name) {
            return Err(undefined(name));
        }
    }
    let shared: Vec<(&str, u64)> = text.lines().filter_map(shared).collect();
    for kernel in text.split(".entry ").skip(1) {
        let name = kernel.split('(').next().unwrap_or_default();
        let used = shared.iter().filter(|(name, _)| kernel.contains(name));
        fits(name, used.map(|(_, bytes)| bytes).sum(), NVIDIA_SHARED)?;
    }
    Ok(())
}

/// The name and the bytes of a variable in memory that a block shares.
fn shared(line: &str) -> Option<(&str, u64)> {
    let (kind, array) = line.trim().split_once(".shared ")?.1.rsplit_once(' ')?;
    let (name, length) = array.trim_end_matches(';').split_once('[')?;
    let bits: u64 = kind.rsplit_once(".b")?.1.trim().parse().ok()?;
    let length: u64 = length.trim_end_matches(']').parse().ok()?;
    Some((name, length * bits / 8))
}

fn code_object(binary: &[u8]) -> Result<(), String> {
    let elf = Elf::read(binary).ok_or("the code object is no ELF file of 64 bits")?;
    for symbol in elf.symbols() {
        if symbol.section == 0 {
            return Err(undefined(&symbol.name));
        }
        // A kernel's descriptor begins with the bytes that it shares.
        if let Some(kernel) = symbol.name.strip_suffix(".kd") {
            let bytes = elf
                .word(&symbol)
                .ok_or("a kernel's descriptor is not there")?;
            fits(kernel, bytes.into(), AMD_SHARED)?;
        }
    }
    Ok(())
}

pub(crate) fn undefined(function: &str) -> String {
    format!("nothing defines the device function `{function}`")
}

fn fits(kernel: &str, bytes: u64, most: u64) -> Result<(), String> {
    match bytes <= most {
        true => Ok(()),
        false => Err(format!(
            "the threads of a block of `{kernel}` share {bytes} bytes, and there are {most}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use melior::ir::Module;
    use mlir_pipeline::{MlirError, Session};

    use super::*;
    use crate::serialize;

    const BOTH: [(Vendor, &str); 2] = [(Vendor::Nvidia, "sm_80"), (Vendor::Amd, "gfx942")];

    /// What making the binary of a kernel answers.
    fn serialized((vendor, chip): (Vendor, &str), declared: &str, kernel: &str) -> Option<String> {
        let session = Session::new("test").unwrap();
        let text = format!(
            "module attributes {{gpu.container_module}} {{
               gpu.module @neuro_gpu_kernels {{
                 {declared}
                 gpu.func @k(%memory: memref<4xf32>) {kernel}
                   gpu.return
                 }}
               }}
             }}"
        );
        let mut module = Module::parse(session.context(), &text).unwrap();
        let chip = Chip::find(vendor, chip).unwrap();
        match serialize(&session, &mut module, chip, Form::Native, true) {
            Ok(binary) => {
                assert!(!binary.is_empty());
                None
            }
            Err(MlirError::GpuSerializationFailed(failure)) => Some(failure.to_string()),
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn a_library_without_the_function_is_told() {
        for (chip, function) in BOTH.into_iter().zip(["__nv_none", "__ocml_none_f32"]) {
            let declared = format!("llvm.func @{function}(f32) -> f32");
            let kernel = format!(
                "kernel {{
                   %at = arith.constant 0 : index
                   %old = memref.load %memory[%at] : memref<4xf32>
                   %new = llvm.call @{function}(%old) : (f32) -> f32
                   memref.store %new, %memory[%at] : memref<4xf32>"
            );
            let message = serialized(chip, &declared, &kernel).unwrap();
            assert!(message.contains(&undefined(function)), "{message}");
        }
    }

    #[test]
    fn a_block_that_shares_too_much_is_told() {
        let kernel = |elements: u64| {
            let shared = format!("memref<{elements}xf32, #gpu.address_space<workgroup>>");
            format!(
                "workgroup(%shared : {shared}) kernel {{
                   %at = arith.constant 0 : index
                   %thread = gpu.thread_id x
                   %old = memref.load %memory[%thread] : memref<4xf32>
                   memref.store %old, %shared[%thread] : {shared}
                   gpu.barrier
                   %new = memref.load %shared[%at] : {shared}
                   memref.store %new, %memory[%thread] : memref<4xf32>"
            )
        };
        for (chip, most) in BOTH.into_iter().zip([NVIDIA_SHARED, AMD_SHARED]) {
            assert_eq!(serialized(chip, "", &kernel(most / 4)), None);
            let message = serialized(chip, "", &kernel(most / 4 + 1)).unwrap();
            let expected = format!("`k` share {} bytes, and there are {most}", most + 4);
            assert!(message.contains(&expected), "{message}");
        }
    }

    #[test]
    fn what_is_no_code_object_is_told() {
        let chip = Chip::find(Vendor::Amd, "gfx942").unwrap();
        for bytes in [&b""[..], b"\x7fELF", &[0xff; 64], &[0; 200]] {
            assert!(inspect(bytes, chip, Form::Native).is_err());
        }
    }
}
