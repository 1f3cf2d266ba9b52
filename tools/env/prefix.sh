# Sourced: which LLVM/MLIR prefix this machine has of its own, if any.

# Prints the machine's prefix, or nothing: then the root is used.
machine_prefix() {
  if [ -n "${NEURO_LLVM_PREFIX:-}" ]; then
    local fault=$(prefix_fault "$NEURO_LLVM_PREFIX/bin/llvm-config")
    [ -z "$fault" ] || die "NEURO_LLVM_PREFIX=$NEURO_LLVM_PREFIX: $fault (docs/installation.md)"
    echo "$NEURO_LLVM_PREFIX"
    return
  fi
  local name
  for name in llvm-config "llvm-config-$llvm_major"; do
    command -v "$name" > /dev/null || continue
    [ -z "$(prefix_fault "$name")" ] && "$name" --prefix && return
  done
}

# Says why the prefix of an llvm-config will not do; nothing when it will.
prefix_fault() {
  local version
  version=$("$1" --version 2> /dev/null) || { echo "no llvm-config runs there"; return; }
  [ "${version%%.*}" = "$llvm_major" ] || { echo "LLVM $version, and $llvm_major is wanted"; return; }
  [ -e "$("$1" --includedir)/mlir-c/IR.h" ] || echo "LLVM $version without MLIR's headers"
}

# A prefix that has libMLIR-C serves as it is. Otherwise one is made over it: links to all it holds, and the library.
ensure_complete_prefix() { # PREFIX; sets prefix
  prefix=$1
  [ ! -e "$("$prefix/bin/llvm-config" --libdir)/libMLIR-C.so" ] || return 0
  [ "$(uname -s)" = Linux ] || return 0
  prefix=$cache/prefix-$(ls -lL "$1/lib"/libMLIR.so* "$1/bin/llvm-config" | cat - "$checkout/third_party/llvm/"* | cksum | cut -d' ' -f1)
  over=$1 make_once "$prefix" "completing the prefix $1" complete_prefix
}

complete_prefix() { "$checkout/third_party/llvm/complete-prefix" "$over" "$1"; }
