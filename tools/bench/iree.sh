# Sourced after numpy.sh, by the benchmark whose peer is IREE too: exports NEURO_IREE_PACKAGES, the folder of its Python
# packages. Without them the benchmark has no rows beside IREE.
ensure_iree() {
  local version packages
  version=$("$NEURO_NUMPY_PYTHON" -c 'import platform; print(platform.python_version())')
  packages=$cache/iree-python-$version
  if (make_once "$packages" "installing IREE, a peer, for Python $version: half a gigabyte" install_iree); then
    export NEURO_IREE_PACKAGES=$packages
  fi
}

install_iree() {
  "$NEURO_NUMPY_PYTHON" -m pip install --disable-pip-version-check --target "$1" iree-base-compiler iree-base-runtime
}
