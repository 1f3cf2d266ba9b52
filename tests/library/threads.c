/* Calls products by threads of POSIX: the bytes are those of the caller alone. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "products.h"

enum { MOST = 64 };

/* Loops shared so far. */
static atomic_int shared;

typedef struct Range {
  NeuroTask *task;
  void *context;
  int64_t from, to;
} Range;

static void *compute(void *given) {
  Range *range = given;
  range->task(range->context, range->from, range->to);
  return NULL;
}

/* A thread for each range, of which there are `*pool`, some of them empty. */
static void share(void *pool, int64_t steps, NeuroTask *task, void *context) {
  int count = *(int *)pool;
  pthread_t threads[MOST];
  Range ranges[MOST];
  atomic_fetch_add(&shared, 1);
  for (int at = 0; at < count; ++at) {
    ranges[at] = (Range){task, context, steps * at / count, steps * (at + 1) / count};
    if (pthread_create(&threads[at], NULL, compute, &ranges[at]) != 0) {
      compute(&ranges[at]);
      ranges[at].task = NULL;
    }
  }
  for (int at = 0; at < count; ++at) {
    if (ranges[at].task != NULL) {
      pthread_join(threads[at], NULL);
    }
  }
}

static float a_data[300 * 301], b_data[301 * 302], row_data[3000], wide_data[3000 * 1536];

static DLTensor matrix(float *data, int64_t *shape) {
  DLTensor made = {data, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, NULL, 0};
  return made;
}

/* Both products, one after the other in `out`. */
static int products(const NeuroThreads *threads, float *out) {
  int64_t a_shape[] = {300, 301}, b_shape[] = {301, 302}, c_shape[] = {300, 302};
  int64_t row_shape[] = {1, 3000}, wide_shape[] = {3000, 1536}, out_shape[] = {1, 1536};
  DLTensor a = matrix(a_data, a_shape), b = matrix(b_data, b_shape), c = matrix(out, c_shape);
  DLTensor row = matrix(row_data, row_shape), wide = matrix(wide_data, wide_shape);
  DLTensor last = matrix(out + 300 * 302, out_shape);
  return neuro_product(&a, &b, &c, threads, NULL) == NEURO_OK && neuro_row(&row, &wide, &last, threads, NULL) == NEURO_OK;
}

enum { COUNT = 300 * 302 + 1536 };
static float expected[COUNT], found[4][COUNT];

static void *caller(void *given) {
  int number = *(int *)given;
  int count = 3;
  NeuroThreads threads = {share, &count, 3};
  for (int turn = 0; turn < 5; ++turn) {
    memset(found[number], 0xff, sizeof found[number]);
    if (!products(&threads, found[number]) || memcmp(expected, found[number], sizeof expected) != 0) {
      return given;
    }
  }
  return NULL;
}

int main(void) {
  unsigned state = 1;
  float *const all[] = {a_data, b_data, row_data, wide_data};
  const size_t sizes[] = {300 * 301, 301 * 302, 3000, 3000 * 1536};
  for (int one = 0; one < 4; ++one) {
    for (size_t at = 0; at < sizes[one]; ++at) {
      state = state * 1664525u + 1013904223u;
      all[one][at] = (float)(state >> 8) / 8388608.0f - 1.0f;
    }
  }
  if (!products(NULL, expected)) {
    return 1;
  }
  const NeuroThreads nobody = {NULL, NULL, 0};
  if (!products(&nobody, found[0]) || memcmp(expected, found[0], sizeof expected) != 0 || shared != 0) {
    return 2;
  }
  const int counts[] = {1, 2, 3, 8, MOST};
  for (int at = 0; at < 5; ++at) {
    int count = counts[at];
    NeuroThreads threads = {share, &count, (size_t)count};
    memset(found[0], 0xff, sizeof found[0]);
    shared = 0;
    if (!products(&threads, found[0]) || memcmp(expected, found[0], sizeof expected) != 0 || shared == 0) {
      printf("%d threads\n", count);
      return 3;
    }
  }
  /* Several callers at once. */
  pthread_t callers[4];
  int numbers[4];
  for (int at = 0; at < 4; ++at) {
    numbers[at] = at;
    if (pthread_create(&callers[at], NULL, caller, &numbers[at]) != 0) {
      return 4;
    }
  }
  int wrong = 0;
  for (int at = 0; at < 4; ++at) {
    void *result;
    wrong |= pthread_join(callers[at], &result) != 0 || result != NULL;
  }
  if (wrong) {
    return 5;
  }
  /* More threads than there is memory for. */
  int count = 2;
  NeuroThreads many = {share, &count, (size_t)1 << 32};
  NeuroFailure failure;
  int64_t a_shape[] = {300, 301}, b_shape[] = {301, 302}, c_shape[] = {300, 302};
  DLTensor a = matrix(a_data, a_shape), b = matrix(b_data, b_shape), c = matrix(found[0], c_shape);
  return neuro_product(&a, &b, &c, &many, &failure) == NEURO_MEMORY ? 0 : 6;
}
