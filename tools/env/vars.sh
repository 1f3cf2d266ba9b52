# Sourced: what the builds read from the environment, given `prefix`.
export NEURO_LLVM_PREFIX=$prefix
export MLIR_SYS_230_PREFIX=$prefix LLVM_SYS_231_PREFIX=$prefix TABLEGEN_230_PREFIX=$prefix
export MLIR_SYS_LINK_SHARED=1
export LIBCLANG_PATH=${LIBCLANG_PATH:-$prefix/lib}
export LD_LIBRARY_PATH=$prefix/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PATH=$PATH:$prefix/bin:$checkout/tools/env/bin
source "$checkout/tools/env/cuda.sh"
export NEURO_CUDA_ROOT=$cuda_root
# Each checkout has its own: cargo tells checkouts apart by the age of their files alone.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$(target_of "$checkout")}
