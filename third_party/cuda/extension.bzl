"""Where //third_party/cuda comes from: the folder that NEURO_CUDA_ROOT names, laid out as CUDA's toolkit."""

_BUILD = """load("@neuro_mlir//tools/bazel:variables.bzl", "make_variables")

make_variables(
    name = "cuda",
    values = {{"CUDA_ROOT": "{}"}},
    visibility = ["//visibility:public"],
)
"""

def _cuda_tools_impl(rctx):
    root = rctx.getenv("NEURO_CUDA_ROOT") or ""
    if root:
        rctx.watch(root + "/bin/ptxas")
        if not rctx.path(root + "/bin/ptxas").exists:
            root = ""
    if not root and rctx.getenv("CI"):
        fail("CI reads NVIDIA's kernels with ptxas, and NEURO_CUDA_ROOT names no folder that has it (docs/installation.md).")
    rctx.file("BUILD.bazel", _BUILD.format(root))

cuda_tools_repository = repository_rule(
    implementation = _cuda_tools_impl,
    environ = ["CI", "NEURO_CUDA_ROOT"],
    local = True,
)

def _cuda_impl(_):
    cuda_tools_repository(name = "cuda_tools")

cuda = module_extension(implementation = _cuda_impl)
