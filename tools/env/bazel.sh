# Sourced: what Bazel needs in the root besides its packages.

ensure_bazel() {
  local crate_universe=$root/usr/share/bazel/rules/rust/crate_universe
  cargo_bazel=$cache/cargo-bazel-$(digest "$crate_universe"/Cargo.{toml,lock} "$root/usr/bin/rustc")
  make_once "$cargo_bazel" "building cargo-bazel, which reads Cargo's manifests for Bazel: some minutes" build_cargo_bazel
  link_index
  make_bazelrc
}

# rules_rust would download it; Debian's package has the sources.
build_cargo_bazel() { # OUT
  "$checkout/tools/env/enter" bash -euc '
    sources=$1.sources
    mkdir -p "$sources" && cp -r /usr/share/bazel/rules/rust/crate_universe/. "$sources"
    CARGO_PROFILE_DEV_DEBUG=0 CARGO_TARGET_DIR="$sources/target" \
      cargo build --manifest-path "$sources/Cargo.toml" --bin cargo-bazel --locked
    mv "$sources/target/debug/cargo-bazel" "$1"
    rm -rf "$sources"' - "$1"
}

# cargo-bazel knows the registry index by an older cargo's name for its folder.
link_index() {
  local now
  for now in "$cache"/cargo/registry/index/*-1949cf8c6b5b557f; do
    [ ! -d "$now" ] || ln -sfn "${now##*/}" "${now%-*}-6f17d22bba15001f"
  done
}

# Read as the machine's own bazelrc inside the root, so that a plain `bazel` there does as `x test` does.
make_bazelrc() {
  cat > "$cache/bazelrc.$$" << END
startup --output_user_root=$cache/bazel
# A server outlives its command, and would keep an older root: another one starts when this line changes.
startup --host_jvm_args=-Dneuro.root=${root##*/}
common --config=offline
common --disk_cache=$cache/bazel-disk --experimental_disk_cache_gc_max_size=20G
common --repository_cache=$cache/bazel-repositories
common --repo_env=CARGO_BAZEL_GENERATOR_URL=file://$cargo_bazel
END
  mv "$cache/bazelrc.$$" "$cache/bazelrc"
}
