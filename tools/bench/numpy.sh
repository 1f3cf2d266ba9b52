# Sourced by the benchmarks whose peer is NumPy: exports NEURO_NUMPY_PYTHON, a Python that has it, first making it where
# the machine's own Python has none.
source "$checkout/tools/env/root.sh"

ensure_numpy() {
  export NEURO_NUMPY_PYTHON=${NEURO_NUMPY_PYTHON:-python3}
  "$NEURO_NUMPY_PYTHON" -c 'import numpy' 2> /dev/null && return
  local version
  version=$("$NEURO_NUMPY_PYTHON" -c 'import platform; print(platform.python_version())') \
    || die "NumPy is the peer, and there is no Python: install python3, or name one by NEURO_NUMPY_PYTHON"
  local packages=$cache/numpy-python-$version
  make_once "$packages" "installing NumPy, the peer, for Python $version" install_numpy
  export PYTHONPATH=$packages${PYTHONPATH:+:$PYTHONPATH}
}

install_numpy() { "$NEURO_NUMPY_PYTHON" -m pip install --disable-pip-version-check --target "$1" numpy; }
