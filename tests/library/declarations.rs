//! What linked modules and objects ask for, over all the programs of the tests.

use std::collections::BTreeSet;
use std::process::Command;

use codegen::{Processor, compile};
use frontend::Options;
use fuzz::generate::{self, Domain};
use mlir_backend::lower_for_link;
use neuro_hir::{HirProgram, Tier};
use object::{Object, ObjectSymbol};
use shared_types::{ScalarType, SourceFile, SourceMap};

use crate::support;
use crate::workshop::Workshop;

/// The intrinsics that a module declares, without the types that they are for.
const INTRINSICS: [&str; 13] = [
    "fabs",
    "masked.load",
    "masked.store",
    "memcpy",
    "prefetch",
    "sadd.with.overflow",
    "smin",
    "smul.with.overflow",
    "sqrt",
    "ssub.with.overflow",
    "uadd.with.overflow",
    "umul.with.overflow",
    "usub.with.overflow",
];

/// What a module declares besides: the memory that it needs in between, and the C library's
/// mathematics.
const DECLARED: [&str; 14] = [
    "cos", "cosf", "exp", "expf", "free", "log", "logf", "malloc", "pow", "powf", "sin", "sinf",
    "tanh", "tanhf",
];

/// What an object asks for: the C library, its mathematics, and the conversions of `f16` that the
/// static library brings.
const UNDEFINED: [&str; 20] = [
    "__extendhfsf2",
    "__truncsfhf2",
    "cos",
    "cosf",
    "exp",
    "expf",
    "fmod",
    "fmodf",
    "free",
    "log",
    "logf",
    "malloc",
    "memcpy",
    "memset",
    "pow",
    "powf",
    "sin",
    "sinf",
    "tanh",
    "tanhf",
];

#[test]
fn they_ask_for_what_the_host_has() {
    let mut declared = BTreeSet::new();
    let mut intrinsics = BTreeSet::new();
    let mut undefined = BTreeSet::new();
    for (program, is_built) in corpus() {
        let linked = lower_for_link(&program).unwrap();
        if linked.bodies.is_empty() {
            assert_eq!(linked.llvm_ir, "");
            continue;
        }
        for name in declarations(&linked.llvm_ir) {
            match name.strip_prefix("llvm.") {
                Some(intrinsic) => intrinsics.insert(family(intrinsic)),
                None => declared.insert(name.to_string()),
            };
        }
        // Bodies are reentrant: what is not on the stack is constant.
        let mut globals = linked.llvm_ir.lines().filter(|line| line.starts_with('@'));
        assert!(globals.all(|line| line.contains(" constant ")));
        if is_built {
            continue;
        }
        let compiled = compile(&linked.llvm_ir, &[], &Processor::baseline(), |_, _, _| {
            Ok(())
        });
        let object = compiled.unwrap().object;
        let file = object::File::parse(object.as_slice()).unwrap();
        undefined.extend(asked(&file));
        let defined = |symbol: &str| {
            file.symbols()
                .any(|one| one.name() == Ok(symbol) && one.is_definition())
        };
        for body in &linked.bodies {
            assert_eq!(body.symbol, format!("__neuro_mlir_{}", body.function));
            assert!(defined(&body.symbol), "{}", body.symbol);
        }
    }
    assert_eq!(declared, list(&DECLARED));
    assert_eq!(intrinsics, list(&INTRINSICS));
    assert_eq!(undefined, list(&UNDEFINED));
}

/// The symbols that an object does not define.
fn asked(object: &object::File<'_>) -> BTreeSet<String> {
    let undefined = object.symbols().filter(|symbol| symbol.is_undefined());
    let names = undefined.map(|symbol| symbol.name().unwrap().to_string());
    names.filter(|name| !name.is_empty()).collect()
}

fn list(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| name.to_string()).collect()
}

fn declarations(ir: &str) -> impl Iterator<Item = &str> {
    ir.lines()
        .filter(|line| line.starts_with("declare"))
        .filter_map(|line| line.split('@').nth(1)?.split('(').next())
}

/// `umul.with.overflow` of `umul.with.overflow.i8`.
fn family(intrinsic: &str) -> String {
    let is_type = |part: &&str| {
        part.starts_with(|c: char| "ifpv".contains(c))
            && part.ends_with(|c: char| c.is_ascii_digit())
    };
    let parts: Vec<&str> = intrinsic
        .split('.')
        .take_while(|part| !is_type(part))
        .collect();
    parts.join(".")
}

/// The programs of the files that compile, and generated ones for each type and tier; with each
/// whether the other test here builds its object.
fn corpus() -> Vec<(HirProgram, bool)> {
    let mut programs = Vec::new();
    for (folder, is_built) in [("filetests", true), ("filecheck", false)] {
        let folder = support::folder(folder);
        for name in support::programs(&folder) {
            let text = std::fs::read_to_string(folder.join(name)).unwrap();
            let program = program(&text, Tier::Checked).ok();
            programs.extend(program.map(|program| (program, is_built)));
        }
    }
    for tier in [Tier::Checked, Tier::Wrapping] {
        for batch in 0..6 {
            let numbers = batch * 16..(batch + 1) * 16;
            let made = numbers.map(|number| {
                generate::function(Domain::Host, 1, number).print(&format!("made{number}"))
            });
            let source: String = made.collect();
            let made = program(&source, tier);
            let made = made.unwrap_or_else(|faults| panic!("{source}\n{faults}"));
            programs.push((made, false));
        }
    }
    let floats = ScalarType::ALL.into_iter();
    let source: String = floats
        .filter(|scalar| scalar.is_float())
        .map(mathematics)
        .collect();
    programs.push((program(&source, Tier::Checked).unwrap(), false));
    programs
}

/// Each function of the mathematics, and the pairs that a processor or a library may have one for.
fn mathematics(scalar: ScalarType) -> String {
    let ty = format!("Tensor<{scalar}, [5]>");
    let calls = [
        "exp()", "log()", "sqrt()", "sin()", "cos()", "tanh()", "abs()", "sign()", "pow(x)",
    ];
    let each = calls
        .iter()
        .enumerate()
        .map(|(index, call)| format!("func {scalar}_{index}(x: &{ty}) -> {ty} {{ x.{call} }}\n"));
    each.collect::<String>()
        + &format!("func {scalar}_both(x: &{ty}) -> {ty} {{ x.sin() * x.cos() % x }}\n")
}

fn program(text: &str, tier: Tier) -> Result<HirProgram, String> {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("f.nr", text));
    let options = Options {
        tier,
        on_device: false,
    };
    frontend::compile(&sources, file, options)
        .map_err(|faults| faults.iter().map(|fault| fault.render(&sources)).collect())
}

#[test]
fn every_program_links_with_the_c_compiler_alone() {
    let workshop = Workshop::new();
    let folder = support::folder("filetests");
    workshop.write("main.c", "int main(void) { return 0; }");
    let mut linked = 0;
    for name in support::programs(&folder) {
        let path = folder.join(&name);
        let mut build = support::neuro_mlir();
        build.arg("build").arg(&path).args(["-o", "."]);
        // Some are wrong, or have no operation.
        if workshop.seen(&mut build).status != Some(0) {
            continue;
        }
        let stem = name.trim_end_matches(".nr");
        let header = format!("#include \"{stem}.h\"\n");
        workshop.write("header.c", header);
        let words = [
            "-Wall", "-Wextra", "-Werror", "-I.", "-c", "header.c", "-o", "header.o",
        ];
        workshop.succeeds(Command::new("cc").args(words));
        // Every member of the library, and not only what `main` calls.
        let object = format!("{stem}.o");
        let library = format!("-l{stem}");
        let words = ["main.c", &object, "-L.", &library, "-lm", "-o", "program"];
        workshop.succeeds(Command::new("cc").args(words));
        let object = std::fs::read(workshop.path(&object)).unwrap();
        let asked = asked(&object::File::parse(object.as_slice()).unwrap());
        assert!(asked.is_subset(&list(&UNDEFINED)), "{name}: {asked:?}");
        linked += 1;
    }
    assert!(linked > 10, "{linked}");
}
