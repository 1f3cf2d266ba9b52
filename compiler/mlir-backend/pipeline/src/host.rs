use crate::PassStage;
use crate::fuse::FUSION;
use crate::passes::pipeline_text;

/// The host's passes after [`crate::fuse`], from linalg on tensors to linalg on buffers (backend
/// specification, §MLIR to LLVM IR).
pub fn buffer_passes() -> Vec<PassStage> {
    stages(BUFFERS)
}

/// The passes after those, from linalg on buffers to the `llvm` dialect.
///
/// Beyond the specification's list: `convert-math-to-llvm` for the element-wise mathematics, and
/// `arith-expand` with `include-bf16`, because some processors' own f32 to bf16 conversion
/// flushes subnormals (numerics): integer arithmetic rounds instead.
pub fn loop_passes() -> Vec<PassStage> {
    stages(LOOPS)
}

/// Fusion and the host's passes in MLIR's syntax, as `mlir-opt --pass-pipeline` takes them.
pub fn host_pipeline() -> String {
    let fusion = PassStage {
        name: "fuse",
        text: FUSION.into(),
    };
    let stages = [vec![fusion], buffer_passes(), loop_passes()];
    pipeline_text(&stages.concat())
}

fn stages(stages: &[(&'static str, &'static str)]) -> Vec<PassStage> {
    let stage = |&(name, text): &(&'static str, &'static str)| PassStage {
        name,
        text: text.into(),
    };
    stages.iter().map(stage).collect()
}

const BUFFERS: &[(&str, &str)] = &[
    (
        "bufferize",
        "one-shot-bufferize{bufferize-function-boundaries=true \
         function-boundary-type-conversion=identity-layout-map}",
    ),
    // A loop's result is seen to be the buffer that it wrote: no copy is made of it.
    ("canonicalize", "canonicalize"),
    ("cse", "cse"),
    (
        "out-params",
        "buffer-results-to-out-params{hoist-static-allocs=true modify-public-functions=true}",
    ),
    ("deallocation", "buffer-deallocation-pipeline"),
];

const LOOPS: &[(&str, &str)] = &[
    ("loops", "func.func(convert-linalg-to-loops)"),
    (
        "vector-to-scf",
        "func.func(convert-vector-to-scf{full-unroll=true})",
    ),
    ("expand-strided-metadata", "expand-strided-metadata"),
    ("lower-affine", "lower-affine"),
    ("scf-to-cf", "convert-scf-to-cf"),
    ("arith-expand", "func.func(arith-expand{include-bf16=true})"),
    ("math-to-llvm", "convert-math-to-llvm"),
    ("vector-to-llvm", "convert-vector-to-llvm"),
    ("memref-to-llvm", "finalize-memref-to-llvm"),
    ("func-to-llvm", "convert-func-to-llvm"),
    ("arith-to-llvm", "convert-arith-to-llvm"),
    ("cf-to-llvm", "convert-cf-to-llvm"),
    ("index-to-llvm", "convert-index-to-llvm"),
    ("ub-to-llvm", "convert-ub-to-llvm"),
    ("reconcile-casts", "reconcile-unrealized-casts"),
];
