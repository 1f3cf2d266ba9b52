//! Libraries whose loops the caller's threads share.

use std::collections::BTreeSet;
use std::process::Command;

use object::{Object, ObjectSymbol};

use crate::workshop::{Workshop, compilers};

const PRODUCTS: &str = "
func product(a: &Tensor<f32, [300, 301]>, b: &Tensor<f32, [301, 302]>) -> Tensor<f32, [300, 302]> { a @ b }
func row(a: &Tensor<f32, [1, 3000]>, b: &Tensor<f32, [3000, 1536]>) -> Tensor<f32, [1, 1536]> { a @ b }
func threads(pool: &Tensor<f16, [2000, 16, 256]>, share: f16) -> Tensor<f16, [2000, 16, 16]> {
    einsum(\"bij,bkj->bik\", pool * share, pool)
}
func small(a: &Tensor<f32, [4, 4]>) -> Tensor<f32, [4, 4]> { a @ a }
";

const WARNINGS: [&str; 5] = ["-Wall", "-Wextra", "-Werror", "-Wconversion", "-pthread"];

#[test]
fn the_bytes_are_those_of_one_thread() {
    let workshop = Workshop::new();
    workshop.write("products.nr", PRODUCTS);
    workshop.write("main.c", include_str!("threads.c"));
    let words = [
        "-std=c11",
        "-O2",
        "main.c",
        "-L.",
        "-lproducts",
        "-lm",
        "-o",
        "program",
    ];
    for cpu in [&[][..], &["--cpu", "native"]] {
        workshop.build("products.nr", &[&["--threads"], cpu].concat());
        workshop.succeeds(Command::new("cc").args(WARNINGS).args(words));
        let seen = workshop.run();
        assert_eq!(
            (seen.status, seen.out.as_str(), seen.err.as_str()),
            (Some(0), "", "")
        );
    }
}

/// What shares loops is an argument, and no symbol. Only a body with a shared loop takes it.
#[test]
fn it_asks_for_no_more() {
    let workshop = Workshop::new();
    workshop.write("products.nr", PRODUCTS);
    workshop.build("products.nr", &["--threads"]);
    let object = std::fs::read(workshop.path("products.o")).unwrap();
    let file = object::File::parse(object.as_slice()).unwrap();
    let undefined = file.symbols().filter(|symbol| symbol.is_undefined());
    let names: BTreeSet<&str> = undefined.map(|symbol| symbol.name().unwrap()).collect();
    let known = [
        "",
        "__extendhfsf2",
        "__truncsfhf2",
        "free",
        "malloc",
        "memcpy",
        "memset",
    ];
    assert!(names.iter().all(|name| known.contains(name)), "{names:?}");
    let globals = file
        .symbols()
        .filter(|symbol| symbol.is_definition() && symbol.is_global());
    let names: BTreeSet<&str> = globals.map(|symbol| symbol.name().unwrap()).collect();
    let bodies = [
        "bits_threads",
        "mlir_product",
        "mlir_row",
        "mlir_small",
        "mlir_threads",
    ];
    assert_eq!(
        names,
        bodies
            .map(|name| format!("__neuro_{name}"))
            .iter()
            .map(String::as_str)
            .collect()
    );
    let header = crate::workshop::read(&workshop.path("products.h"));
    for taken in [
        "neuro_product(\n    const DLTensor *a, const DLTensor *b, DLTensor *out, const NeuroThreads *threads, NeuroFailure *failure)",
        "neuro_threads(\n    const DLTensor *pool, uint16_t share, DLTensor *out, const NeuroThreads *threads, NeuroFailure *failure)",
        "neuro_small(\n    const DLTensor *a, DLTensor *out, NeuroFailure *failure)",
        "NeuroShare *threads, void *pool_);",
    ] {
        assert!(header.contains(taken), "{taken} in {header}");
    }
    for (standard, ending, names) in [
        ("-std=c11", "c", ["cc", "clang"]),
        ("-std=c++17", "cpp", ["c++", "clang++"]),
    ] {
        let source = format!("use.{ending}");
        workshop.write(&source, "#include \"products.h\"\n");
        for compiler in compilers(&names) {
            let words = [standard, "-I.", "-c", &source, "-o", "use.o"];
            workshop.succeeds(Command::new(compiler).args(WARNINGS).args(words));
        }
    }
}
