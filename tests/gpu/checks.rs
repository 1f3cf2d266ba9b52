//! What is held of a program's GPU code.

use std::collections::BTreeMap;

use libtest_mimic::Failed;
use mlir_backend::internal::{Form, Vendor};

use crate::cuda::Cuda;
use crate::program::{AMD, NEWEST, Program, find};
use crate::report::Row;
use crate::{code_object, kernels, launches, report, support, text, tools};

/// The PTX is exact, and there is some.
pub fn ptx(program: &Program) -> Result<(), Failed> {
    for (chip, text) in program.ptx() {
        let text = text?;
        text::ptx(text)?;
        // Empty text has no fault.
        if text.contains(".entry") == crate::without_kernels(program) {
            return Err(format!("kernels for {chip}: {}", text.matches(".entry").count()).into());
        }
    }
    Ok(())
}

/// The LLVM IR is exact, but where it is a vendor's library.
pub fn llvm(program: &Program) -> Result<(), Failed> {
    for (vendor, chip) in [(Vendor::Nvidia, NEWEST), (Vendor::Amd, AMD[1])] {
        let llvm = program.llvm(find(vendor, chip)?)?;
        let expanding = expanding(program, vendor, llvm)?;
        for (name, kernel) in kernels::of_llvm(llvm) {
            // A vendor's library is its own (numerics, §Mathematics).
            if expanding.get(name) != Some(&LIBRARY) {
                text::llvm(kernel)?;
            }
        }
    }
    Ok(())
}

const LIBRARY: &str = "library mathematics";

/// Which kernels of a program may have fused multiply-adds in machine code, and what for.
fn expanding(
    program: &Program,
    vendor: Vendor,
    llvm: &str,
) -> Result<BTreeMap<String, &'static str>, String> {
    let library = kernels::of_mlir(program.mlir(vendor)?).into_iter();
    let library = library.filter(|(_, kernel)| kernels::calls_library(kernel));
    let library = library.map(|(name, _)| (name.to_string(), LIBRARY));
    let sequences = kernels::of_llvm(llvm).into_iter();
    let sequences =
        sequences.filter_map(|(name, kernel)| Some((name.to_string(), kernels::expands(kernel)?)));
    Ok(sequences.chain(library).collect())
}

/// Assembles the PTX of a program, and searches what comes out.
pub fn assembled(program: &Program, cuda: &Cuda) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let cubin = folder.path().join("kernels.cubin");
    let llvm = program.llvm(find(Vendor::Nvidia, NEWEST)?)?;
    let expanding = expanding(program, Vendor::Nvidia, llvm)?;
    for (chip, text) in program.ptx() {
        let rows = cuda.assemble(text?, chip, &cubin)?;
        searched(program, rows, cuda.fused(&cubin)?, &expanding)?;
    }
    Ok(())
}

/// Assembles what NVIDIA's library adds to a program.
pub fn with_libdevice(program: &Program, cuda: &Cuda) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let cubin = folder.path().join("kernels.cubin");
    for (chip, without) in program.ptx() {
        let mut command = support::neuro_mlir();
        let command = command
            .arg("emit")
            .arg(&program.path)
            .env("CUDA_ROOT", &cuda.root);
        let words = ["--stage", "ptx", "--gpu", &format!("nvidia:{chip}")];
        let (text, _) = tools::run(command.args(words))?;
        let without = kernels::of_ptx(without?);
        let mut rows = cuda.assemble(&text, chip, &cubin)?;
        rows.retain(|row| without.iter().all(|(kernel, _)| *kernel != row.kernel));
        if rows.is_empty() || text.contains(".extern .func") {
            return Err(format!("for {chip} the library adds {} kernels", rows.len()).into());
        }
        for row in &mut rows {
            row.program = program.name.clone();
            row.expands = Some(LIBRARY);
        }
        report::add(rows);
    }
    Ok(())
}

/// Reads the code objects of a program as their loader would, and searches them.
pub fn code_objects(program: &Program) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("kernels.co");
    for chip in AMD {
        let chip = find(Vendor::Amd, chip)?;
        let linked = program.lowered(chip, Form::Native)?;
        if linked.binary.is_empty() {
            continue;
        }
        std::fs::write(&path, &linked.binary)?;
        let launches = launches::launches(&linked.llvm_ir)?;
        let rows = code_object::check(&path, chip.name(), &launches)?;
        let llvm = program.llvm(chip)?;
        let expanding = expanding(program, Vendor::Amd, llvm)?;
        searched(program, rows, code_object::fused(&path)?, &expanding)?;
    }
    Ok(())
}

/// No function but those that expand has a fused instruction; the rows are reported.
fn searched(
    program: &Program,
    mut rows: Vec<Row>,
    fused: Vec<(String, Vec<String>)>,
    expanding: &BTreeMap<String, &'static str>,
) -> Result<(), Failed> {
    for row in &mut rows {
        row.program = program.name.clone();
        row.expands = expanding.get(&row.kernel).copied();
        let instructions = fused.iter().find(|(name, _)| *name == row.kernel);
        let Some((_, instructions)) = instructions else {
            return Err(format!("{} has no code of {}", row.chip, row.kernel).into());
        };
        if row.expands.is_none() && !instructions.is_empty() {
            return Err(format!("{} of {} fuses: {instructions:?}", row.kernel, row.chip).into());
        }
        if row.spilled > 0 || row.private > 0 {
            return Err(format!("{} of {} spills", row.kernel, row.chip).into());
        }
    }
    // What kernels call is a library's, or is searched as they are.
    let called = fused
        .iter()
        .filter(|(name, _)| rows.iter().all(|row| row.kernel != *name));
    let mut called = called.filter(|(_, instructions)| !instructions.is_empty());
    let library = rows.iter().any(|row| row.expands == Some(LIBRARY));
    match called.next() {
        Some(function) if !library => Err(format!("{function:?} fuses").into()),
        _ => {
            report::add(rows);
            Ok(())
        }
    }
}
