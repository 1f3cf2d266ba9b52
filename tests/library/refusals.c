/* Calls functions with one wrong argument at a time, and prints what they say. */
#include "layers.h"

static float f32[64];
static uint8_t bytes[6] = {0, 1, 1, 0, 2, 1};
static int64_t two_three[] = {2, 3}, three_four[] = {3, 4}, four[] = {4}, two_four[] = {2, 4}, three_two[] = {3, 2};

static DLTensor tensor(void *data, uint8_t code, uint8_t bits, int32_t rank, int64_t *shape) {
  DLTensor made = {data, {kDLCPU, 0}, rank, {code, bits, 1}, shape, NULL, 0};
  return made;
}

static DLTensor x, w, b, out;

/* Calls dense, and puts its arguments back in order. */
static void dense(void) {
  static int calls = 0;
  NeuroFailure failure = {NEURO_OK, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, NULL};
  char text[200];
  if (calls++ > 0) {
    const NeuroStatus status = neuro_dense(&x, &w, &b, &out, &failure);
    NeuroFailureText(&failure, text, sizeof text);
    printf("%d %d %s\n", status, status == neuro_dense(&x, &w, &b, &out, NULL), text);
  }
  x = tensor(f32, kDLFloat, 32, 2, two_three);
  w = tensor(f32 + 6, kDLFloat, 32, 2, three_four);
  b = tensor(f32 + 18, kDLFloat, 32, 1, four);
  out = tensor(f32 + 22, kDLFloat, 32, 2, two_four);
}

int main(void) {
  int64_t strides[] = {3, 1}, columns[] = {1, 2}, loose[] = {99, 1};
  int64_t one[] = {4, 1}, none[] = {0, 3};
  dense();

  dense();
  x.strides = strides, b.strides = &one[1], dense();
  x.byte_offset = 4, dense();
  /* `x` and `w` may share memory, and an end may touch a start. */
  w.data = f32, b.data = f32 + 12, out.data = f32 + 16, dense();

  x.data = NULL, dense();
  x.shape = NULL, dense();
  w.device.device_type = 2, dense();
  w.dtype.code = kDLInt, dense();
  w.dtype.bits = 64, dense();
  w.dtype.lanes = 2, dense();
  b.ndim = 2, b.shape = one, dense();
  b.ndim = 0, dense();
  b.ndim = -1, dense();
  b.shape = two_three, dense();
  x.strides = columns, dense();
  out.strides = loose, dense();
  out.byte_offset = 2, dense();
  out.data = f32 + 5, dense();
  out.data = f32, dense();
  out.data = f32 + 17, dense();

  NeuroFailure failure;
  char text[200];
  NeuroStatus status = neuro_dense(NULL, &w, &b, &out, &failure);
  NeuroFailureText(&failure, text, sizeof text);
  printf("%d %s\n", status, text);
  printf("%d\n", neuro_dense(&x, &w, &b, NULL, NULL));

  /* A bool is 0 or 1, where it is read. */
  uint8_t flipped[6] = {9, 9, 9, 9, 9, 9};
  DLTensor yes = tensor(bytes, kDLBool, 8, 2, two_three), no = tensor(flipped, kDLBool, 8, 2, three_two);
  status = neuro_flip(&yes, &no, &failure);
  NeuroFailureText(&failure, text, sizeof text);
  printf("%d %s\n", status, text);
  bytes[4] = 1;
  printf("%d", neuro_flip(&yes, &no, NULL));
  for (int at = 0; at < 6; ++at) {
    printf(" %d", flipped[at]);
  }

  /* A position is in what is sliced. */
  int64_t four_three[] = {4, 3}, three[] = {3};
  DLTensor rows = tensor(f32, kDLFloat, 32, 2, four_three), row = tensor(f32 + 12, kDLFloat, 32, 1, three);
  printf("\n%d %d", neuro_row__op0(&rows, 0, &row, NULL), neuro_row__op0(&rows, 3, &row, NULL));
  const int64_t outside[] = {-1, 4, INT64_MIN, INT64_MAX};
  for (int at = 0; at < 4; ++at) {
    status = neuro_row__op0(&rows, outside[at], &row, &failure);
  }
  NeuroFailureText(&failure, text, sizeof text);
  printf(" %d %s", status, text);

  /* What is empty has no data, and overlaps nothing. */
  DLTensor nothing = tensor(NULL, kDLUInt, 64, 2, none);
  printf("\n%d\n", neuro_nothing(&nothing, &nothing, NULL));

  /* A target is read and written. */
  double target[] = {1, 2, 3, 4}, step = 0.5;
  DLTensor t = tensor(target, kDLFloat, 64, 1, four), g = tensor(&step, kDLFloat, 64, 0, NULL);
  printf("%d", neuro_update(&t, &g, NULL));
  for (int at = 0; at < 4; ++at) {
    printf(" %g", target[at]);
  }
  g.data = target + 3;
  printf("\n%d\n", neuro_update(&t, &g, NULL));

  /* A text is cut as snprintf cuts it. */
  int32_t scaled[6], numbers[] = {1, 2, 3, 4, 5, 1 << 30};
  DLTensor a = tensor(numbers, kDLInt, 32, 2, two_three), z = tensor(scaled, kDLInt, 32, 2, two_three);
  status = neuro_scale(&a, 2, &z, &failure);
  const int length = NeuroFailureText(&failure, NULL, 0);
  for (size_t size = 1; size <= (size_t)length + 1; size += (size_t)length / 4) {
    printf("%d %s\n", NeuroFailureText(&failure, text, size) == length, text);
  }
  printf("%d %s:%d:%d %s %d\n", status, failure.file, (int)failure.line, (int)failure.column, failure.operation,
         (int)failure.element);
  return 0;
}
