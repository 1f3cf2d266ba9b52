/* Calls the functions of model.nr over DLPack tensors, by the header's checked functions. */
#include <stdio.h>

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

  float x_data[] = {1, 2, 3, 4, 5, 6}, w_data[12], b_data[] = {0.5f, 1, 1.5f, 2}, y_data[8];
  for (int at = 0; at < 12; ++at) {
    w_data[at] = 0.25f * (float)at;
  }
  int64_t x_shape[] = {2, 3}, w_shape[] = {3, 4}, b_shape[] = {4}, y_shape[] = {2, 4};
  DLTensor x = tensor(x_data, kDLFloat, 2, x_shape), w = tensor(w_data, kDLFloat, 2, w_shape);
  DLTensor b = tensor(b_data, kDLFloat, 1, b_shape), y = tensor(y_data, kDLFloat, 2, y_shape);
  if (neuro_dense(&x, &w, &b, &y, &failure) != NEURO_OK) {
    return report(&failure);
  }
  printf("dense:");
  for (int at = 0; at < 8; ++at) {
    printf(" %g", y_data[at]);
  }

  float scores_data[] = {0.5f, -1, 8, 3, 8, 2}, top_data[3];
  int32_t at_data[3];
  int64_t scores_shape[] = {6}, top_shape[] = {3};
  DLTensor scores = tensor(scores_data, kDLFloat, 1, scores_shape);
  DLTensor top = tensor(top_data, kDLFloat, 1, top_shape), positions = tensor(at_data, kDLInt, 1, top_shape);
  if (neuro_best(&scores, &top, &positions, &failure) != NEURO_OK) {
    return report(&failure);
  }
  printf("\nbest:");
  for (int at = 0; at < 3; ++at) {
    printf(" %g at %d", top_data[at], at_data[at]);
  }

  int32_t a_data[] = {1, 2, 3, 4, 5, 6}, scaled_data[6];
  DLTensor a = tensor(a_data, kDLInt, 2, x_shape), scaled = tensor(scaled_data, kDLInt, 2, x_shape);
  if (neuro_scale(&a, 7, &scaled, &failure) != NEURO_OK) {
    return report(&failure);
  }
  printf("\nscale:");
  for (int at = 0; at < 6; ++at) {
    printf(" %d", scaled_data[at]);
  }
  NeuroStatus status = neuro_scale(&a, 500000000, &scaled, &failure);
  if (status != NEURO_OVERFLOW) {
    return 1;
  }
  printf("\nscale: overflow at element [%d, %d]\n", (int)NeuroFailureIndex(&failure, 0),
         (int)NeuroFailureIndex(&failure, 1));
  report(&failure);
  return 0;
}
