"""The machine's own Rust toolchain: rustc, cargo, rustfmt and clippy as they are on the path."""

_TOOLS = ["rustc", "rustdoc", "cargo", "rustfmt", "clippy-driver", "cargo-clippy"]

def _local_rust_impl(rctx):
    for tool in _TOOLS:
        path = rctx.which(tool)
        if not path:
            fail("{} is not on the path".format(tool))
        rctx.watch(path)
        rctx.symlink(path, "bin/" + tool)
    rustc = rctx.which("rustc")
    sysroot = rctx.path(_ask(rctx, [rustc, "--print", "sysroot"]))
    facts = {
        line.split(": ")[0]: line.split(": ")[1]
        for line in _ask(rctx, [rustc, "--version", "--verbose"]).split("\n")
        if ": " in line
    }
    triple = facts["host"]
    rctx.symlink(sysroot.get_child("lib", "rustlib", triple, "lib"), "std")
    cpu, _, os = triple.partition("-")
    rctx.file("BUILD.bazel", rctx.read(rctx.attr._build)
        .replace("{TRIPLE}", triple)
        .replace("{VERSION}", facts["release"])
        .replace("{CPU}", cpu)
        .replace("{OS}", "macos" if "darwin" in os else "windows" if "windows" in os else "linux"))

def _ask(rctx, command):
    result = rctx.execute(command)
    if result.return_code != 0:
        fail("{} failed: {}".format(" ".join([str(word) for word in command]), result.stderr))
    return result.stdout.strip()

local_rust_repository = repository_rule(
    implementation = _local_rust_impl,
    attrs = {"_build": attr.label(default = "//tools/bazel:local_rust.BUILD.bazel")},
    environ = ["PATH"],
    local = True,
)

local_rust = module_extension(implementation = lambda _: local_rust_repository(name = "local_rust"))
