# Sourced: NVIDIA's assembler, its disassembler and its device library, as PyPI has them for Linux, laid out as CUDA's
# toolkit. Tests read kernels with them; no program needs them.
cuda_version=13.5.37
cuda_packages=$cache/cuda-$cuda_version
cuda_root=${NEURO_CUDA_ROOT:-$cuda_packages/nvidia/cu13}

# Where they can't be had, the tests that need them are skipped; not in CI.
ensure_cuda() {
  [ "$cuda_root" = "$cuda_packages/nvidia/cu13" ] || return 0
  (make_once "$cuda_packages" "installing NVIDIA's assembler, with which tests read kernels: 130 MB" install_cuda) && return
  [ -z "${CI:-}" ] || die "CI reads NVIDIA's kernels with it"
  say "the tests that need it will be skipped. A CUDA toolkit named by NEURO_CUDA_ROOT serves as well"
}

install_cuda() { # OUT
  "$checkout/tools/env/enter" python3 -m pip install --disable-pip-version-check --no-deps --target "$1" \
    nvidia-{cuda-nvcc,cuda-nvdisasm,nvvm}=="$cuda_version"
}
