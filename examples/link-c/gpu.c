/* Calls functions of model.nr on the host and on a GPU: the bits are the same. */
#include <stdio.h>
#include <string.h>

#include "model.h"

/* A row-major tensor of the host over a buffer of ours. */
static DLTensor tensor(void *data, uint8_t code, int32_t rank, int64_t *shape) {
  DLTensor made = {data, {kDLCPU, 0}, rank, {code, 32, 1}, shape, NULL, 0};
  return made;
}

static int report(const NeuroFailure *failure) {
  char text[200];
  NeuroFailureText(failure, text, sizeof text);
  fprintf(stderr, "%s\n", text);
  return 1;
}

int main(void) {
  NeuroFailure failure;
  int64_t x_shape[] = {2, 3}, w_shape[] = {3, 4}, b_shape[] = {4}, y_shape[] = {2, 4};

  float x_data[] = {1, 2, 3, 4, 5, 6}, w_data[12], b_data[] = {0.5f, 1, 1.5f, 2}, host_data[8], gpu_data[8];
  for (int at = 0; at < 12; ++at) {
    w_data[at] = 0.1f * (float)at;
  }
  DLTensor x = tensor(x_data, kDLFloat, 2, x_shape), w = tensor(w_data, kDLFloat, 2, w_shape);
  DLTensor b = tensor(b_data, kDLFloat, 1, b_shape);
  DLTensor host = tensor(host_data, kDLFloat, 2, y_shape), gpu = tensor(gpu_data, kDLFloat, 2, y_shape);
  if (neuro_dense(&x, &w, &b, &host, &failure) != NEURO_OK || neurogpu_dense(&x, &w, &b, &gpu, &failure) != NEURO_OK) {
    return report(&failure);
  }
  printf("dense: %s\n", memcmp(host_data, gpu_data, sizeof host_data) == 0 ? "the same bits" : "other bits");

  int32_t a_data[] = {1, 2, 3, 4, 5, 6}, host_scaled[6], gpu_scaled[6];
  DLTensor a = tensor(a_data, kDLInt, 2, x_shape);
  DLTensor on_host = tensor(host_scaled, kDLInt, 2, x_shape), on_gpu = tensor(gpu_scaled, kDLInt, 2, x_shape);
  if (neuro_scale(&a, 7, &on_host, &failure) != NEURO_OK || neurogpu_scale(&a, 7, &on_gpu, &failure) != NEURO_OK) {
    return report(&failure);
  }
  printf("scale: %s\n", memcmp(host_scaled, gpu_scaled, sizeof host_scaled) == 0 ? "the same bits" : "other bits");

  /* A failure of the program is the same line, too. */
  NeuroStatus status = neurogpu_scale(&a, 500000000, &on_gpu, &failure);
  if (status == NEURO_OK) {
    return 1;
  }
  report(&failure);
  return status == NEURO_OVERFLOW ? 0 : 1;
}
