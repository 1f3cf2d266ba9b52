/* What the headers of all libraries share. */
#ifndef NEURO_PRELUDE_H_
#define NEURO_PRELUDE_H_

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* DLPack's tensor: from its own header where that is at hand, else as defined there. */
#if !defined(DLPACK_DLPACK_H_) && defined(__has_include)
#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
#endif
#endif
#ifndef DLPACK_DLPACK_H_
enum { kDLCPU = 1 };
enum { kDLInt = 0, kDLUInt = 1, kDLFloat = 2, kDLBfloat = 4, kDLBool = 6 };

typedef struct DLDevice {
  int32_t device_type;
  int32_t device_id;
} DLDevice;

typedef struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

typedef struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides; /* counted in elements; null is row-major */
  uint64_t byte_offset;
} DLTensor;
#endif

/* What a function returns. */
typedef enum NeuroStatus {
  NEURO_OK = 0,

  /* An argument is not what the function takes. Nothing was computed. */
  NEURO_NULL = 1,      /* a null pointer */
  NEURO_DEVICE = 2,    /* not in the host's memory */
  NEURO_TYPE = 3,      /* another element type */
  NEURO_SHAPE = 4,     /* another shape */
  NEURO_STRIDES = 5,   /* not row-major */
  NEURO_ALIGNMENT = 6, /* not aligned to its elements */
  NEURO_OVERLAP = 7,   /* memory shared with another argument, and one of them is written */
  NEURO_BOOL = 8,      /* a bool that is neither 0 nor 1 */
  NEURO_POSITION = 9,  /* a position of a slice outside of what it slices */

  /* The memory for what is computed in between cannot be had. Nothing was computed. */
  NEURO_MEMORY = 10,

  /* The program fails on these operands. What was written means nothing. */
  NEURO_OVERFLOW = 11,
  NEURO_ZERO_DIVISOR = 12,

  /* There is no usable GPU, or its driver failed. What was written means nothing. */
  NEURO_GPU = 13
} NeuroStatus;

/* Why a function returned another status than NEURO_OK. Its pointers are to constants, but for `reason`. */
typedef struct NeuroFailure {
  NeuroStatus status;
  const char *function;

  /* NEURO_NULL to NEURO_POSITION: which argument, and its type. */
  const char *argument;
  const char *type;

  /* NEURO_OVERFLOW, NEURO_ZERO_DIVISOR: the operator, where it stands in the source, and at which
   * element of its result it failed first, counted in row-major order. */
  const char *operation;
  const char *file;
  uint32_t line;
  uint32_t column;
  uint64_t element;
  int32_t rank;
  const int64_t *shape;

  /* NEURO_GPU: what the driver said, until this thread next runs something on a GPU. */
  const char *reason;
} NeuroFailure;

/* The index of the failure's element along an axis of its operation's result. */
static inline uint64_t NeuroFailureIndex(const NeuroFailure *failure, int32_t axis) {
  uint64_t element = failure->element;
  for (int32_t after = failure->rank - 1; after > axis; --after) {
    element /= (uint64_t)failure->shape[after];
  }
  return element % (uint64_t)failure->shape[axis];
}

/* Writes the failure as one line without an end, for a failed program the one that neuro-mlir
 * prints. Used as snprintf: at most `size` bytes with the final zero, returns the whole length. */
static inline int NeuroFailureText(const NeuroFailure *failure, char *text, size_t size) {
  static const char *const reasons[] = {
      "nothing failed", "a null pointer", "not in the host's memory", "another element type", "another shape",
      "not row-major", "not aligned to its elements", "memory shared with another argument, and one of them is written",
      "a bool that is neither 0 nor 1", "a position outside of what is sliced", "out of memory", "integer overflow", "division by zero"};
  const char *const reason = failure->status == NEURO_GPU ? failure->reason : reasons[failure->status];
  int length;
  if (failure->status == NEURO_OK) {
    return snprintf(text, size, "%s", reason);
  }
  if (failure->status == NEURO_MEMORY || failure->status == NEURO_GPU) {
    return snprintf(text, size, "%s: %s", failure->function, reason);
  }
  if (failure->status < NEURO_MEMORY) {
    return snprintf(text, size, "%s: the argument `%s` (%s): %s", failure->function, failure->argument, failure->type,
                    reason);
  }
  length = snprintf(text, size, "%s:%" PRIu32 ":%" PRIu32 ": panic: %s in `%s`", failure->file, failure->line,
                    failure->column, reason, failure->operation);
  for (int32_t axis = 0; axis < failure->rank && length >= 0; ++axis) {
    const size_t used = (size_t)length < size ? (size_t)length : size;
    const int more = snprintf(used < size ? text + used : NULL, size - used, "%s%" PRIu64 "%s",
                              axis == 0 ? " at element [" : ", ", NeuroFailureIndex(failure, axis),
                              axis + 1 == failure->rank ? "]" : "");
    length = more < 0 ? more : length + more;
  }
  return length;
}

/* Below is what the functions of the headers are made of. */

enum { NEURO_READS = 1, NEURO_WRITES = 2 };

/* A tensor that a function takes. */
typedef struct NeuroArgument {
  const char *name;
  const char *type;
  int use;
  uint8_t code;
  uint8_t bits;
  int32_t rank;
  const int64_t *shape;
} NeuroArgument;

/* A check of a function, and the operation that it belongs to. */
typedef struct NeuroCheck {
  NeuroStatus status;
  const char *operation;
  const char *file;
  uint32_t line;
  uint32_t column;
  int32_t rank;
  const int64_t *shape;
  uint64_t folded; /* how many positions fold into an element */
} NeuroCheck;

static inline uint64_t NeuroBytes(const NeuroArgument *argument) {
  uint64_t bytes = argument->bits / 8u;
  for (int32_t axis = 0; axis < argument->rank; ++axis) {
    bytes *= (uint64_t)argument->shape[axis];
  }
  return bytes;
}

/* Whether a tensor is what an argument is to be; gives where its elements are. */
static inline NeuroStatus NeuroCheckTensor(const DLTensor *tensor, const NeuroArgument *argument, void **data) {
  const uint64_t bytes = NeuroBytes(argument);
  int64_t stride = 1;
  if (tensor == NULL) {
    return NEURO_NULL;
  }
  if ((int32_t)tensor->device.device_type != 1) {
    return NEURO_DEVICE;
  }
  if (tensor->dtype.code != argument->code || tensor->dtype.bits != argument->bits || tensor->dtype.lanes != 1) {
    return NEURO_TYPE;
  }
  if (tensor->ndim != argument->rank) {
    return NEURO_SHAPE;
  }
  if (tensor->shape == NULL && argument->rank > 0) {
    return NEURO_NULL;
  }
  for (int32_t axis = 0; axis < argument->rank; ++axis) {
    if (tensor->shape[axis] != argument->shape[axis]) {
      return NEURO_SHAPE;
    }
  }
  *data = tensor->data;
  if (bytes == 0) {
    return NEURO_OK;
  }
  for (int32_t axis = argument->rank - 1; axis >= 0 && tensor->strides != NULL; --axis) {
    /* An axis that is never stepped along may have any stride. */
    if (tensor->shape[axis] > 1 && tensor->strides[axis] != stride) {
      return NEURO_STRIDES;
    }
    stride *= tensor->shape[axis];
  }
  if (tensor->data == NULL) {
    return NEURO_NULL;
  }
  *data = (char *)tensor->data + tensor->byte_offset;
  if ((uintptr_t)*data % (argument->bits / 8u) != 0) {
    return NEURO_ALIGNMENT;
  }
  if (argument->code == 6 && (argument->use & NEURO_READS) != 0) {
    for (uint64_t at = 0; at < bytes; ++at) {
      if (((const unsigned char *)*data)[at] > 1) {
        return NEURO_BOOL;
      }
    }
  }
  return NEURO_OK;
}

/* Whether two arguments share memory. */
static inline bool NeuroOverlap(const NeuroArgument *a, const void *a_data, const NeuroArgument *b,
                                const void *b_data) {
  const uint64_t a_bytes = NeuroBytes(a), b_bytes = NeuroBytes(b);
  const uintptr_t a_start = (uintptr_t)a_data, b_start = (uintptr_t)b_data;
  return a_bytes != 0 && b_bytes != 0 && a_start < b_start + b_bytes && b_start < a_start + a_bytes;
}

static inline NeuroStatus NeuroCheckArguments(const char *function, size_t count, const NeuroArgument *arguments,
                                              const DLTensor *const *tensors, void **data, NeuroFailure *failure) {
  NeuroStatus status = NEURO_OK;
  size_t at, other;
  for (at = 0; at < count; ++at) {
    status = NeuroCheckTensor(tensors[at], &arguments[at], &data[at]);
    if (status != NEURO_OK) {
      break;
    }
    for (other = 0; other < at && status == NEURO_OK; ++other) {
      if (((arguments[at].use | arguments[other].use) & NEURO_WRITES) != 0 &&
          NeuroOverlap(&arguments[at], data[at], &arguments[other], data[other])) {
        status = NEURO_OVERLAP;
      }
    }
    if (status != NEURO_OK) {
      break;
    }
  }
  if (status != NEURO_OK && failure != NULL) {
    const NeuroFailure found = {status, function, arguments[at].name, arguments[at].type, NULL, NULL, 0, 0, 0, 0, NULL, NULL};
    *failure = found;
  }
  return status;
}

/* What an argument that is no tensor must be; `status` says what it is otherwise. */
static inline NeuroStatus NeuroCheckOther(const char *function, const char *argument, const char *type, bool holds,
                                          NeuroStatus status, NeuroFailure *failure) {
  if (holds) {
    return NEURO_OK;
  }
  if (failure != NULL) {
    const NeuroFailure found = {status, function, argument, type, NULL, NULL, 0, 0, 0, 0, NULL, NULL};
    *failure = found;
  }
  return status;
}

/* Computes the steps `from` to `to` of a loop, without `to`. */
typedef void NeuroTask(void *context, int64_t from, int64_t to);

/* Calls `task` with `context` for ranges that make up 0 to `steps`, each step once, in whatever threads and order, and
 * returns when all calls have. */
typedef void NeuroShare(void *pool, int64_t steps, NeuroTask *task, void *context);

/* The threads that share the loops of a function. */
typedef struct NeuroThreads {
  NeuroShare *share; /* null: the caller alone */
  void *pool;        /* its first argument */
  size_t count;      /* the most calls of a task at one time */
} NeuroThreads;

static inline size_t NeuroThreadCount(const NeuroThreads *threads) {
  return threads != NULL && threads->share != NULL ? threads->count : 1;
}

/* Whether the memory that a function allocates can be had: it does not ask. */
static inline NeuroStatus NeuroCheckMemory(const char *function, size_t bytes, NeuroFailure *failure) {
  void *volatile memory = malloc(bytes);
  if (memory != NULL) {
    free(memory);
    return NEURO_OK;
  }
  if (failure != NULL) {
    const NeuroFailure found = {NEURO_MEMORY, function, NULL, NULL, NULL, NULL, 0, 0, 0, 0, NULL, NULL};
    *failure = found;
  }
  return NEURO_MEMORY;
}

/* What a status word says: all ones, or `operation << 52 | position << 12 | check` of the failure that comes first. */
static inline NeuroStatus NeuroDecode(const char *function, uint64_t word, const NeuroCheck *checks,
                                      NeuroFailure *failure) {
  const NeuroCheck *check;
  if (word == UINT64_MAX) {
    return NEURO_OK;
  }
  check = &checks[(word & 0xfff) - 1];
  if (failure != NULL) {
    const uint64_t position = (word >> 12) & ((UINT64_C(1) << 40) - 1);
    const NeuroFailure found = {check->status, function,      NULL,
                                NULL,          check->operation, check->file,
                                check->line,   check->column, position / check->folded,
                                check->rank,   check->shape,  NULL};
    *failure = found;
  }
  return check->status;
}

#endif
