"""Where //third_party/llvm comes from: a prefix of the machine today. A pinned source build takes its place here."""

_MAJOR = "23"

def _llvm_prefix_impl(rctx):
    named = rctx.getenv("NEURO_LLVM_PREFIX")
    config = rctx.path(named + "/bin/llvm-config") if named else rctx.which("llvm-config") or rctx.which("llvm-config-" + _MAJOR)
    if not config or not config.exists:
        fail("No LLVM/MLIR {} here: {} (docs/installation.md).".format(
            _MAJOR,
            "NEURO_LLVM_PREFIX={} has no bin/llvm-config".format(named) if named else "set NEURO_LLVM_PREFIX or put llvm-config on the path",
        ))
    rctx.watch(config)
    version = _ask(rctx, config, "--version")
    if version.split(".")[0] != _MAJOR:
        fail("{} is of LLVM {}; {} is wanted (docs/installation.md).".format(config, version, _MAJOR))
    if not rctx.path(_ask(rctx, config, "--includedir") + "/mlir-c/IR.h").exists:
        fail("{} is of an LLVM without MLIR's headers (docs/installation.md).".format(config))

    prefix = _ask(rctx, config, "--prefix") if not named else named
    if not rctx.path(prefix + "/lib/libMLIR-C.so").exists and rctx.os.name == "linux":
        complete = str(rctx.path("prefix"))
        made = rctx.execute([rctx.path(rctx.attr._complete), prefix, complete])
        if made.return_code != 0:
            fail("Linking libMLIR-C from {} failed:\n{}".format(prefix, made.stderr))
        prefix = complete

    for tool in rctx.attr.tools:
        rctx.symlink("{}/bin/{}".format(prefix, tool), "bin/" + tool)
    rctx.file("BUILD.bazel", rctx.read(rctx.attr._build).replace("{PREFIX}", prefix).replace("{VERSION}", version))

def _ask(rctx, config, flag):
    result = rctx.execute([config, flag])
    if result.return_code != 0:
        fail("{} {} failed: {}".format(config, flag, result.stderr))
    return result.stdout.strip()

llvm_prefix_repository = repository_rule(
    implementation = _llvm_prefix_impl,
    attrs = {
        "tools": attr.string_list(),
        "_build": attr.label(default = "//third_party/llvm:prefix.BUILD.bazel"),
        "_complete": attr.label(default = "//third_party/llvm:complete-prefix"),
        "_link": attr.label(default = "//third_party/llvm:link-mlir-c"),
    },
    environ = ["NEURO_LLVM_PREFIX", "PATH"],
    local = True,
)

def _llvm_impl(_):
    llvm_prefix_repository(
        name = "llvm_prefix",
        tools = ["FileCheck", "ld.lld", "mlir-opt", "mlir-translate"],
    )

llvm = module_extension(implementation = _llvm_impl)
