/* What the headers of libraries with GPU bodies share. Link with -lneuro_gpu. */
#ifndef NEURO_GPU_H_
#define NEURO_GPU_H_

#ifdef __cplusplus
extern "C" {
#endif

/* The vendors. */
enum { NEURO_NVIDIA = 2, NEURO_AMD = 10 };

/* Begins a run of this thread on the vendor's first device: a GPU body is called in one, with tensors in the device's
 * memory. Null, or why there is no usable device, until the thread's next call of these. */
const char *NeuroGpuBegin(int32_t vendor);

/* Ends the run. Null, or what failed first in it: what followed that did nothing. */
const char *NeuroGpuEnd(void);

/* In a run: memory of the device, and copies to it and from it. */
void *_mlir_memref_to_llvm_alloc(uint64_t bytes);
void _mlir_memref_to_llvm_free(void *memory);
void NeuroGpuWrite(void *to, const void *from, size_t bytes);
void NeuroGpuRead(const void *from, void *to, size_t bytes);

#ifdef __cplusplus
}
#endif

static inline NeuroStatus NeuroGpuFailed(const char *function, const char *reason, NeuroFailure *failure) {
  if (reason == NULL) {
    return NEURO_OK;
  }
  if (failure != NULL) {
    const NeuroFailure found = {NEURO_GPU, function, NULL, NULL, NULL, NULL, 0, 0, 0, 0, NULL, reason};
    *failure = found;
  }
  return NEURO_GPU;
}

/* Begins a run with the arguments on the device, and behind them the status word. */
static inline NeuroStatus NeuroGpuStage(const char *function, int32_t vendor, size_t count,
                                        const NeuroArgument *arguments, void *const *data, void **memory,
                                        const uint64_t *word, NeuroFailure *failure) {
  const NeuroStatus status = NeuroGpuFailed(function, NeuroGpuBegin(vendor), failure);
  if (status != NEURO_OK) {
    return status;
  }
  for (size_t at = 0; at < count; ++at) {
    const size_t bytes = (size_t)NeuroBytes(&arguments[at]);
    memory[at] = _mlir_memref_to_llvm_alloc(bytes);
    if ((arguments[at].use & NEURO_READS) != 0) {
      NeuroGpuWrite(memory[at], data[at], bytes);
    }
  }
  memory[count] = _mlir_memref_to_llvm_alloc(sizeof *word);
  NeuroGpuWrite(memory[count], word, sizeof *word);
  return NEURO_OK;
}

/* Brings what was written back, and ends the run. */
static inline NeuroStatus NeuroGpuFetch(const char *function, size_t count, const NeuroArgument *arguments,
                                        void *const *data, void *const *memory, uint64_t *word,
                                        NeuroFailure *failure) {
  for (size_t at = 0; at < count; ++at) {
    if ((arguments[at].use & NEURO_WRITES) != 0) {
      NeuroGpuRead(memory[at], data[at], (size_t)NeuroBytes(&arguments[at]));
    }
    _mlir_memref_to_llvm_free(memory[at]);
  }
  NeuroGpuRead(memory[count], word, sizeof *word);
  _mlir_memref_to_llvm_free(memory[count]);
  return NeuroGpuFailed(function, NeuroGpuEnd(), failure);
}

#endif
