# Sourced: what the builds read from the environment, given `prefix`.
export NEURO_LLVM_PREFIX=$prefix
export MLIR_SYS_230_PREFIX=$prefix LLVM_SYS_231_PREFIX=$prefix TABLEGEN_230_PREFIX=$prefix
export MLIR_SYS_LINK_SHARED=1
export LIBCLANG_PATH=${LIBCLANG_PATH:-$prefix/lib}
export LD_LIBRARY_PATH=$prefix/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PATH=$PATH:$prefix/bin
# Intermediate files are shared by all checkouts; programs are each checkout's own.
if [ -z "${CARGO_TARGET_DIR:-}" ]; then
  export CARGO_BUILD_BUILD_DIR=$cache/cargo-build
  export CARGO_TARGET_DIR=$cache/target-$(cksum <<< "$checkout" | cut -d' ' -f1)
fi
