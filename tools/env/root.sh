# Sourced: the Debian root, for a machine without an LLVM/MLIR prefix of its own.
root=$cache/root-$(digest "$checkout"/tools/env/{packages,root.sh} "$checkout/third_party/llvm/link-mlir-c")

ensure_root() {
  [ ! -e "$root" ] || return 0
  [ "$(uname -s)" = Linux ] || die "the root is for Linux only; name an LLVM $llvm_major prefix by NEURO_LLVM_PREFIX (docs/installation.md)"
  make_once "$root" "making the Debian root with LLVM/MLIR $llvm_major, Rust and Bazel: a few minutes, 4 GB" make_root
}

install_mmdebstrap() {
  if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
    echo "mmdebstrap is missing: install the package of that name, or name an LLVM $llvm_major prefix by NEURO_LLVM_PREFIX"
    return 1
  fi
  apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends mmdebstrap
}

make_root() { # OUT
  command -v mmdebstrap > /dev/null || install_mmdebstrap || return 1
  local mode=root
  if [ "$(id -u)" != 0 ]; then
    mode=unshare
    unshare --user --map-root-user true || { echo "this machine gives an ordinary user no user namespaces: run setup as root once, or name a prefix by NEURO_LLVM_PREFIX"; return 1; }
    command -v newuidmap > /dev/null || { echo "newuidmap is missing: install the package uidmap"; return 1; }
  fi
  local packages=$(sed 's/#.*//' "$checkout/tools/env/packages" | xargs | tr ' ' ,)
  # In a mount namespace of its own nothing stays mounted below OUT, however this ends. The suite's index may carry an
  # expired date.
  local private=(unshare --mount)
  [ $mode = root ] || private=()
  "${private[@]}" mmdebstrap --mode=$mode --variant=apt --include="$packages" \
    --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='APT::Install-Recommends "false"' \
    --dpkgopt=force-unsafe-io \
    --customize-hook="copy-in '$checkout/third_party/llvm/link-mlir-c' /usr/local/bin" \
    --customize-hook="chroot \"\$1\" link-mlir-c /usr/lib/llvm-$llvm_major /usr/lib/llvm-$llvm_major/lib" \
    --customize-hook='touch "$1/etc/bazel.bazelrc"' \
    sid "$1"
}

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
