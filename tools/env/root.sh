# Sourced: the Debian root, for a machine without an LLVM/MLIR prefix of its own.
root=$cache/root-$(digest "$checkout"/tools/env/{packages,make-root} "$checkout/third_party/llvm/link-mlir-c")

ensure_root() {
  [ ! -e "$root" ] || return 0
  [ "$(uname -s)" = Linux ] || die "the root is for Linux only; name an LLVM $llvm_major prefix by NEURO_LLVM_PREFIX (docs/installation.md)"
  [ "$(id -u)" != 0 ] || unshare --mount true 2> /dev/null \
    || die "root may make no mount namespace here: give the container CAP_SYS_ADMIN, or name a prefix by NEURO_LLVM_PREFIX"
  make_once "$root" "making the Debian root with LLVM/MLIR $llvm_major, Rust and Bazel: a few minutes, 4 GB" make_root
}

make_root() { "$checkout/tools/env/make-root" "$1" "$llvm_major"; }

# The root trusts the certificates that this machine has added (a proxy's, say): cargo reads the bundle that
# update-ca-certificates writes, Bazel the Java store that its hook writes.
ensure_trust() {
  local added=/usr/local/share/ca-certificates stamp=$root.trust
  local sum=$(cat "$added"/*.crt 2> /dev/null | cksum)
  [ "$(cat "$stamp" 2> /dev/null)" != "$sum" ] && [ -w "$cache" ] || return 0
  rm -f "$stamp"
  make_once "$stamp" "trusting this machine's certificates" trust
}

trust() { # STAMP
  as_owner bash -euc 'rm -f "$1$2"/*.crt; cp "$2"/*.crt "$1$2" 2> /dev/null || true
    mount --rbind /proc "$1/proc" && chroot "$1" update-ca-certificates --fresh' - "$root" "$added" \
    && echo "$sum" > "$1"
}

# Runs a command with every right over the root, in a private mount namespace. An ordinary user's root holds files of
# that user's subordinate ids, which only a namespace that maps them may change.
as_owner() {
  if [ "$(id -u)" = 0 ]; then unshare --mount "$@"; else unshare --user --map-auto --map-root-user --mount "$@"; fi
}

remove_tree() { [ ! -e "$1" ] || as_owner rm -rf --one-file-system "$1"; }
