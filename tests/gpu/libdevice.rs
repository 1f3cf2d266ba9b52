//! NVIDIA's library of mathematics, run on this machine (numerics, §Mathematics).

use std::fs;
use std::process::Command;

use libtest_mimic::Failed;

use crate::cuda::Cuda;
use crate::report;
use crate::tools::{llvm, run};

const FUNCTIONS: [&str; 6] = ["exp", "log", "sin", "cos", "tanh", "pow"];

/// Units in the last place.
const MOST: u64 = 16;

/// What the library writes in assembly: what stands in it, and which function computes it here.
const ASSEMBLY: [(&str, &str); 6] = [
    ("rcp.approx.ftz.f32", "rcp.approx.ftz.f32"),
    ("sub.cc.u32 ", "sub.128"),
    ("add.cc.u32 ", "add.128"),
    ("mul.lo.u32 ", "mul.64"),
    ("{clo,chi}", "mad.64"),
    ("mad.lo.cc.u32 ", "mad.32"),
];

const DECLARATIONS: &str = "
declare float @nvvm.rcp.approx.ftz.f32(float)
declare { i64, i64 } @nvvm.sub.128(i64, i64, i64, i64)
declare { i64, i64 } @nvvm.add.128(i64, i64, i64, i64)
declare { i64, i64 } @nvvm.mul.64(i64, i64)
declare { i64, i64 } @nvvm.mad.64(i64, i64, i64)
define internal { i32, i32 } @nvvm.mad.32(i32 %x, i32 %y, i32 %z) {
  %x64 = zext i32 %x to i64
  %y64 = zext i32 %y to i64
  %z64 = zext i32 %z to i64
  %product = mul i64 %x64, %y64
  %sum = add i64 %product, %z64
  %low = trunc i64 %sum to i32
  %shifted = lshr i64 %sum, 32
  %high = trunc i64 %shifted to i32
  %one = insertvalue { i32, i32 } poison, i32 %low, 0
  %both = insertvalue { i32, i32 } %one, i32 %high, 1
  ret { i32, i32 } %both
}
define internal i32 @__nvvm_reflect(ptr %0) alwaysinline {
  ret i32 0
}
";

/// Measures it against the C library, and reports the greatest difference of each function.
pub fn is_near(cuda: &Cuda) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);
    let bitcode = cuda.root.join("nvvm/libdevice/libdevice.10.bc");
    let (text, _) = run(llvm("llvm-dis").args(["-o", "-"]).arg(bitcode))?;
    fs::write(path("library.ll"), for_host(&text)?)?;
    fs::write(path("measure.c"), include_str!("libdevice.c"))?;

    let names = FUNCTIONS.map(|name| format!("__nv_{name},__nv_{name}f"));
    let names = format!("-internalize-public-api-list={}", names.join(","));
    let mut opt = llvm("opt");
    opt.args(["-passes=internalize,globaldce,default<O2>", &names]);
    run(opt
        .arg(path("library.ll"))
        .arg("-o")
        .arg(path("library.bc")))?;
    let mut llc = llvm("llc");
    llc.args(["-relocation-model=pic", "-filetype=obj", "-o"]);
    run(llc.arg(path("library.o")).arg(path("library.bc")))?;
    let mut cc = Command::new("cc");
    cc.args(["-O2", "-ffp-contract=off", "-o"]);
    cc.arg(path("measure"))
        .args(["measure.c", "library.o", "-lm"]);
    run(cc.current_dir(&folder))?;

    let (measured, _) = run(&mut Command::new(path("measure")))?;
    let distances = measured.lines().filter_map(|line| line.split_once(' '));
    let distances = distances.map(|(name, most)| Some((name, most.parse::<u64>().ok()?)));
    let distances: Option<Vec<_>> = distances.collect();
    let distances = distances.filter(|all| all.len() == 2 * FUNCTIONS.len());
    let distances = distances.ok_or_else(|| format!("measured: {measured}"))?;
    report::note(format!("libdevice, units in the last place: {distances:?}"));
    match distances.iter().find(|(_, most)| *most > MOST) {
        None => Ok(()),
        Some((name, most)) => Err(format!("{name} is {most} units off").into()),
    }
}

/// The library's text with calls in the place of its instructions and assembly.
fn for_host(text: &str) -> Result<String, String> {
    let foreign =
        |line: &&str| line.starts_with("target ") || line.contains("@__nvvm_reflect(ptr)");
    let lines: Vec<&str> = text.lines().filter(|line| !foreign(line)).collect();
    let text = lines.join("\n").replace("@llvm.nvvm.", "@nvvm.");
    let mut pieces = text.split("asm \"");
    let mut host = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        // The assembly, between quotes; its operands, between others; the arguments.
        let quoted: Vec<&str> = piece.splitn(4, '"').collect();
        let &[assembly, _, _, arguments] = &quoted[..] else {
            return Err(format!("in libdevice: {piece}"));
        };
        let known = ASSEMBLY.iter().find(|(has, _)| assembly.contains(has));
        match known {
            Some((_, function)) => host += &format!("@nvvm.{function}{arguments}"),
            None => host += &format!("asm \"{piece}"),
        }
    }
    Ok(host + DECLARATIONS)
}
