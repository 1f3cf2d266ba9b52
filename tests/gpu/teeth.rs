//! That the searches find what they look for.

use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use mlir_backend::internal::{Form, Vendor};
use object::{Object, ObjectSection, ObjectSymbol};

use crate::cuda::Cuda;
use crate::program::{AMD, Program, find};
use crate::tools::{llvm, run};
use crate::{code_object, launches, machine, skipped, text};

/// A kernel of a program of the tests, which multiplies and adds.
const KERNEL: &str = "__neuro_gpu_both_0";

pub fn trials(cuda: &Option<Arc<Cuda>>) -> Vec<Trial> {
    let unrounded = {
        let cuda = cuda.clone();
        move || unrounded(cuda.as_deref())
    };
    let trials = [
        Trial::test("faults in texts and instructions", texts),
        Trial::test("PTX that may fuse", unrounded).with_ignored_flag(skipped(cuda)),
        Trial::test("LLVM IR that may fuse", contracted),
        Trial::test("code objects with faults", faulty),
    ];
    trials.map(|trial| trial.with_kind("teeth")).into()
}

fn program() -> Program {
    let path = crate::support::folder("filecheck").join("gpu.nr");
    Program::new("filecheck/gpu".to_string(), path)
}

fn texts() -> Result<(), Failed> {
    let ptx = [
        "fma.rn.f32 %r1, %r2, %r3, %r4;",
        "mul.f32 %r1, %r2, %r3;",
        "add.ftz.f32 %r1, %r2, %r3;",
        "div.approx.f32 %r1, %r2, %r3;",
        ".extern .func (.param .b32 func_retval0) __nv_expf",
    ];
    let llvm = [
        "  %3 = call float @llvm.fmuladd.f32(float %0, float %1, float %2)",
        "  %3 = fadd contract float %1, %2",
    ];
    let sass = [
        "FFMA.FTZ R5, R4, R3, R2 ;",
        "DFMA R4, -R6, R2, 1 ;",
        "HFMA2.MMA R1, R2, R3, R4 ;",
    ];
    let gcn = [
        "v_fma_f32 v0, v1, v2, v3",
        "v_fmac_f64_e32 v[0:1], v[2:3], v[4:5]",
        "v_mac_f32_e32 v0, v1, v2",
        "v_mad_f32 v0, v1, v2, v3",
        "v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]",
        "v_dual_mul_f32 v0, v1, v2 :: v_dual_fmac_f32 v3, v4, v5",
        "v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], a[0:3]",
        "s_fmac_f32 s0, s1, s2",
    ];
    let whole = [
        ptx.iter().find(|line| text::ptx(line).is_ok()),
        llvm.iter().find(|line| text::llvm(line).is_ok()),
        sass.iter().find(|line| !machine::fuses_sass(line)),
        gcn.iter().find(|line| !machine::fuses_gcn(line)),
    ];
    let plain = [
        ["IMAD R5, R4, R3, R2 ;", "HFMA2.MMA R1, -RZ, RZ, 0, 0 ;"]
            .into_iter()
            .find(|line| machine::fuses_sass(line)),
        [
            "v_mad_u64_u32 v[0:1], s[2:3], v2, v3, 0",
            "v_add_f32_e32 v0, v1, v2",
        ]
        .into_iter()
        .find(|line| machine::fuses_gcn(line)),
    ];
    match (whole, plain) == ([None; 4], [None; 2]) {
        true => Ok(()),
        false => Err(format!("not found {whole:?}, found {plain:?}").into()),
    }
}

/// Without `.rn` NVIDIA's assembler fuses.
fn unrounded(cuda: Option<&Cuda>) -> Result<(), Failed> {
    let cuda = cuda.ok_or(crate::WITHOUT_CUDA)?;
    let folder = tempfile::tempdir()?;
    let cubin = folder.path().join("kernels.cubin");
    let program = program();
    for (chip, ptx) in program.ptx() {
        let ptx = ptx?.replace("mul.rn.", "mul.").replace("add.rn.", "add.");
        cuda.assemble(&ptx, chip, &cubin)?;
        fuses(cuda.fused(&cubin)?, chip)?;
    }
    Ok(())
}

/// With leave to contract LLVM fuses.
fn contracted() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let (source, object) = (folder.path().join("f.ll"), folder.path().join("f.o"));
    let program = program();
    for chip in AMD {
        let text = program.llvm(find(Vendor::Amd, chip)?)?;
        let text = text.replace("fmul float", "fmul contract float");
        std::fs::write(&source, text.replace("fadd float", "fadd contract float"))?;
        let mut llc = llvm("llc");
        llc.args(["-O2", "-filetype=obj", "-mcpu", chip, "-o"]);
        run(llc.arg(&object).arg(&source))?;
        fuses(code_object::fused(&object)?, chip)?;
    }
    Ok(())
}

fn fuses(fused: Vec<(String, Vec<String>)>, chip: &str) -> Result<(), Failed> {
    let kernel = fused.iter().find(|(name, _)| name == KERNEL);
    match kernel.is_some_and(|(_, instructions)| !instructions.is_empty()) {
        true => Ok(()),
        false => Err(format!("no fused instruction for {chip}: {fused:?}").into()),
    }
}

/// Another launch than the kernel's, and descriptors that flush denormals or round otherwise.
fn faulty() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("kernels.co");
    let chip = find(Vendor::Amd, "gfx942")?;
    let linked = program().lowered(chip, Form::Native)?;
    let checked = |bytes: &[u8], launches: &[launches::Launch]| -> Result<bool, Failed> {
        std::fs::write(&path, bytes)?;
        Ok(code_object::check(&path, "gfx942", launches).is_ok())
    };
    let launches = || launches::launches(&linked.llvm_ir);
    let whole = checked(&linked.binary, &launches()?)?;

    let mut fewer = launches()?;
    fewer[0].parameters.pop();
    let mut wider = launches()?;
    wider[0].threads *= 2;
    let mut others = launches()?;
    others.retain(|launch| launch.kernel != KERNEL);
    let mut found = vec![
        checked(&linked.binary, &fewer)?,
        checked(&linked.binary, &wider)?,
        checked(&linked.binary, &others)?,
        checked(&linked.binary[..linked.binary.len() - 1], &launches()?)?,
    ];
    let at = rsrc1(&linked.binary)?;
    for bit in [12, 14, 16, 18] {
        let mut bytes = linked.binary.clone();
        bytes[at + bit / 8] ^= 1 << (bit % 8);
        found.push(checked(&bytes, &launches()?)?);
    }
    match whole && found.iter().all(|fine| !fine) {
        true => Ok(()),
        false => Err(format!("the whole one {whole}, the others {found:?}").into()),
    }
}

/// Where in a code object the descriptor of [`KERNEL`] has `compute_pgm_rsrc1`.
fn rsrc1(bytes: &[u8]) -> Result<usize, Failed> {
    let object = object::File::parse(bytes)?;
    let symbol = object.symbol_by_name(&format!("{KERNEL}.kd"));
    let symbol = symbol.ok_or("no descriptor")?;
    let section = symbol.section_index().ok_or("no section")?;
    let section = object.section_by_index(section)?;
    let (start, _) = section.file_range().ok_or("no bytes")?;
    Ok((start + symbol.address() - section.address()) as usize + 48)
}
