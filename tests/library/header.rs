use std::process::Command;

use crate::workshop::{PROGRAM, Workshop, compilers};

const WARNINGS: [&str; 6] = [
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Werror",
    "-Wconversion",
    "-Wsign-conversion",
];

/// DLPack's own header, as far as a tensor goes.
const DLPACK: &str = "\
#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
typedef enum : int32_t {
#else
typedef enum {
#endif
  kDLCPU = 1, kDLCUDA = 2
} DLDeviceType;
typedef struct { DLDeviceType device_type; int32_t device_id; } DLDevice;
typedef enum { kDLInt = 0U, kDLUInt = 1U, kDLFloat = 2U, kDLOpaqueHandle = 3U, kDLBfloat = 4U, kDLComplex = 5U, kDLBool = 6U }
    DLDataTypeCode;
typedef struct { uint8_t code; uint8_t bits; uint16_t lanes; } DLDataType;
typedef struct {
  void *data; DLDevice device; int32_t ndim; DLDataType dtype; int64_t *shape; int64_t *strides; uint64_t byte_offset;
} DLTensor;
#endif
";

/// Compiles a text that includes the header, in C11 and C++17, with every compiler here.
pub fn compiles(workshop: &Workshop, text: &str) {
    for (standard, ending, names) in [
        ("-std=c11", "c", ["cc", "gcc", "clang"]),
        ("-std=c++17", "cpp", ["c++", "g++", "clang++"]),
    ] {
        let source = format!("use.{ending}");
        workshop.write(&source, text);
        for compiler in compilers(&names) {
            for level in ["-O0", "-O2"] {
                let words = [standard, level, "-I.", "-c", &source, "-o", "use.o"];
                workshop.succeeds(Command::new(compiler).args(WARNINGS).args(words));
            }
        }
    }
}

/// Uses every function of [`PROGRAM`]'s header.
const USES: &str = "\
typedef void (*Function)(void);
extern const Function functions[11];
const Function functions[11] = {
  (Function)neuro_dense, (Function)neuro_scale, (Function)neuro_best, (Function)neuro_halves, (Function)neuro_brains,
  (Function)neuro_flip, (Function)neuro_nothing, (Function)neuro_update, (Function)neuro_total__op0,
  (Function)neuro_each, (Function)neuro_row__op0,
};
int main(void) { return functions[0] == functions[1]; }
";

#[test]
fn it_compiles_without_a_warning_beside_dlpacks_or_without() {
    let workshop = Workshop::new();
    workshop.write("layers.nr", PROGRAM);
    workshop.build("layers.nr", &[]);
    compiles(&workshop, &format!("#include \"layers.h\"\n{USES}"));
    workshop.write("dlpack/dlpack.h", DLPACK);
    let dlpack = "#include <dlpack/dlpack.h>\n";
    compiles(&workshop, &format!("{dlpack}#include \"layers.h\"\n{USES}"));
    compiles(&workshop, &format!("#include \"layers.h\"\n{dlpack}{USES}"));
}

#[test]
fn two_libraries_share_a_program() {
    let workshop = Workshop::new();
    workshop.write(
        "one.nr",
        "func once(x: &Tensor<f16, [2]>) -> Tensor<f16, [2]> { x + x }",
    );
    workshop.write(
        "two.nr",
        "func twice(x: &Tensor<f16, [2]>) -> Tensor<f16, [2]> { x * x }",
    );
    workshop.build("one.nr", &[]);
    workshop.build("two.nr", &["--overflow", "wrapping"]);
    let text = "#include \"one.h\"\n#include \"two.h\"\n#include \"one.h\"\n\
        int main(void) { return neuro_once(NULL, NULL, NULL) + neuro_twice(NULL, NULL, NULL) == 2 ? 0 : 1; }";
    compiles(&workshop, text);
    // Without the compiler's own library: the conversions of halves come with ours.
    let ours = ["-I.", "use.c", "-L.", "-lone", "-ltwo"];
    let words = ["-nodefaultlibs", "-lm", "-lc", "-o", "program"];
    workshop.succeeds(Command::new("cc").args(ours).args(words));
    assert_eq!(workshop.run().status, Some(0));
}

#[test]
fn the_same_program_gives_the_same_files() {
    let workshop = Workshop::new();
    workshop.write("layers.nr", PROGRAM);
    let files = || {
        workshop.build("layers.nr", &[]);
        ["layers.o", "layers.h", "liblayers.a"]
            .map(|file| std::fs::read(workshop.path(file)).unwrap())
    };
    assert!(files() == files());
}

#[test]
fn a_source_of_any_name_is_a_string_of_c() {
    let workshop = Workshop::new();
    let source = "func f(x: &Tensor<i8, [2]>) -> Tensor<i8, [2]> { x + x }";
    workshop.write("a \"\\n\" ??/ */ ä\n/f.nr", source);
    workshop.build("a \"\\n\" ??/ */ ä\n/f.nr", &[]);
    compiles(&workshop, "#include \"f.h\"\nint main(void) { return 0; }");
}
