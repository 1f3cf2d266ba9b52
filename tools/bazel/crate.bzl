"""One macro for our crates: the library, its unit tests, a program for each file of src/bin, a test for each of tests, and
a benchmark for each of benches."""

load("@rules_rust//rust:defs.bzl", "rust_binary", "rust_library", "rust_test")

# What every test may read: where LLVM is, and the libraries to run with.
TEST_ENV = {
    "LD_LIBRARY_PATH": "$(LLVM_PREFIX)/lib",
    "NEURO_LLVM_PREFIX": "$(LLVM_PREFIX)",
}

def neuro_crate(name, crate_name = None, deps = [], proc_macro_deps = [], test_deps = [], test_data = [], rustc_flags = []):
    """A crate whose folder Cargo lays out: src/lib.rs, src/bin/*.rs, tests/*.rs and benches/*.rs.

    Args:
        name: the target's name, the folder's by habit, so that the label is the package alone.
        crate_name: the name in Rust, where it is not the target's.
        deps: crates that the library uses.
        proc_macro_deps: those of them that are procedural macros.
        test_deps: crates that the tests and benchmarks use besides.
        test_data: files that the tests read when they run.
        rustc_flags: how the library is compiled besides.
    """
    native.exports_files(["Cargo.toml"])
    crate_name = crate_name or name.replace("-", "_")
    rust_library(
        name = name,
        srcs = native.glob(["src/**/*.rs"], exclude = ["src/bin/**"]),
        compile_data = native.glob(["src/**"], exclude = ["src/**/*.rs"], allow_empty = True),
        crate_name = crate_name,
        proc_macro_deps = proc_macro_deps,
        rustc_flags = rustc_flags,
        visibility = ["//visibility:public"],
        deps = deps,
    )
    neuro_test(
        name = "unit_test",
        crate = name,
        data = test_data,
        deps = test_deps,
    )
    programs = {
        path.removeprefix("src/bin/").removesuffix(".rs"): path
        for path in native.glob(["src/bin/*.rs"], allow_empty = True)
    }
    for program, path in programs.items():
        rust_binary(
            name = program,
            srcs = [path],
            proc_macro_deps = proc_macro_deps,
            visibility = ["//visibility:public"],
            deps = [name] + deps,
        )
    for path in native.glob(["tests/*.rs"], allow_empty = True):
        neuro_test(
            name = path.removeprefix("tests/").removesuffix(".rs") + "_test",
            srcs = [path] + native.glob(["tests/*/**/*.rs"], allow_empty = True),
            compile_data = native.glob(["src/**", "tests/**"], exclude = ["tests/**/*.rs"]),
            crate_root = path,
            data = test_data + programs.keys() +
                   native.glob(["tests/**"], exclude = ["tests/**/*.rs"], allow_empty = True),
            proc_macro_deps = proc_macro_deps,
            # As Cargo does: how a test finds the crate's programs.
            rustc_env = {"CARGO_BIN_EXE_" + program: "$(rootpath {})".format(program) for program in programs},
            deps = [name] + deps + test_deps,
        )
    for path in native.glob(["benches/*.rs"], allow_empty = True):
        # Cargo runs them; here they are held to compile without a warning.
        rust_binary(
            name = path.removeprefix("benches/").removesuffix(".rs") + "_bench",
            testonly = True,
            srcs = [path],
            deps = [name] + deps + test_deps,
        )

def neuro_test(name, env = {}, toolchains = [], **kwargs):
    rust_test(
        name = name,
        env = TEST_ENV | env,
        # So that no machine of a remote pool that has a GPU is taken by a test without one.
        exec_properties = {"test.gpu": "none"},
        toolchains = ["//third_party/llvm"] + toolchains,
        **kwargs
    )
