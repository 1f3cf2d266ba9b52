// Prints how far NVIDIA's library of mathematics is from the C library's: a line a function and type, with the greatest
// distance in units in the last place. The library's bitcode is linked in, and calls its instructions, which are here.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t bits(double x) {
  uint64_t bits;
  memcpy(&bits, &x, 8);
  return bits;
}
static double from_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, 8);
  return x;
}

#define INSTRUCTION(type, name, text, parameters) \
  type name parameters __asm__("nvvm." text);     \
  type name parameters

// Three approximate, within bounds that the manual of PTX tells: each bound, and between them, in turn.
static int side;
INSTRUCTION(float, ex2, "ex2.approx.ftz.f32", (float x)) {
  // The library takes it to be exact for integers.
  return (float)(exp2(x) * (1 + (x == rintf(x) ? 0 : side) * 0x1p-22));
}
INSTRUCTION(float, rcp_f, "rcp.approx.ftz.f32", (float x)) { return (float)(1.0 / x * (1 + side * 0x1p-23)); }
INSTRUCTION(double, rcp_d, "rcp.approx.ftz.d", (double x)) { return from_bits(((bits(1 / x) >> 32) + side) << 32); }

INSTRUCTION(float, fma_f, "fma.rn.f", (float x, float y, float z)) { return fmaf(x, y, z); }
INSTRUCTION(double, fma_d, "fma.rn.d", (double x, double y, double z)) { return fma(x, y, z); }
INSTRUCTION(float, fma_down, "fma.rm.f", (float x, float y, float z)) {
  // The product is exact, and its sum with a number near one.
  double sum = (double)x * y + z;
  float near = (float)sum;
  return near > sum ? nextafterf(near, -INFINITY) : near;
}
INSTRUCTION(float, add_f, "add.rn.f", (float x, float y)) { return x + y; }
INSTRUCTION(double, add_d, "add.rn.d", (double x, double y)) { return x + y; }
INSTRUCTION(float, mul_f, "mul.rn.f", (float x, float y)) { return x * y; }
INSTRUCTION(double, mul_d, "mul.rn.d", (double x, double y)) { return x * y; }
INSTRUCTION(float, abs_f, "fabs.f32", (float x)) { return fabsf(x); }
INSTRUCTION(double, abs_d, "fabs.f64", (double x)) { return fabs(x); }
INSTRUCTION(float, saturate, "saturate.f", (float x)) { return x > 0 ? fminf(x, 1) : 0; }
INSTRUCTION(float, floor_f, "floor.f", (float x)) { return floorf(x); }
INSTRUCTION(float, round_f, "round.f", (float x)) { return rintf(x); }
INSTRUCTION(float, trunc_f, "trunc.f", (float x)) { return truncf(x); }
INSTRUCTION(double, trunc_d, "trunc.d", (double x)) { return trunc(x); }
INSTRUCTION(int32_t, f2i, "f2i.rn", (float x)) { return (int32_t)rintf(x); }
INSTRUCTION(int32_t, f2i_zero, "f2i.rz", (float x)) { return (int32_t)x; }
INSTRUCTION(int32_t, d2i, "d2i.rn", (double x)) { return (int32_t)rint(x); }
INSTRUCTION(uint32_t, low, "d2i.lo", (double x)) { return (uint32_t)bits(x); }
INSTRUCTION(uint32_t, high, "d2i.hi", (double x)) { return (uint32_t)(bits(x) >> 32); }
INSTRUCTION(double, join, "lohi.i2d", (uint32_t low, uint32_t high)) { return from_bits((uint64_t)high << 32 | low); }

// What the library writes in assembly, for the reduction of large arguments.
typedef unsigned __int128 wide;
INSTRUCTION(wide, mad_64, "mad.64", (uint64_t x, uint64_t y, uint64_t z)) { return (wide)x * y + z; }
INSTRUCTION(wide, mul_64, "mul.64", (uint64_t x, uint64_t y)) { return (wide)x * y; }
INSTRUCTION(wide, add_128, "add.128", (uint64_t a, uint64_t b, uint64_t c, uint64_t d)) {
  return ((wide)b << 64 | a) + ((wide)d << 64 | c);
}
INSTRUCTION(wide, sub_128, "sub.128", (uint64_t a, uint64_t b, uint64_t c, uint64_t d)) {
  return ((wide)b << 64 | a) - ((wide)d << 64 | c);
}

// Arguments: from a linear congruential generator, their exponents uniform.
static uint64_t state;
static double uniform(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 11) * 0x1p-53;
}
static double argument(double least, double most) { return exp2(least + uniform() * (most - least)); }
static double any_sign(double x) { return uniform() < 0.5 ? -x : x; }

// Of two numbers of one sign; of others, and of a NaN and a number, all there is.
static uint64_t distance(uint64_t a, uint64_t b, int sign) {
  return a >> sign != b >> sign ? UINT64_MAX : a > b ? a - b : b - a;
}
static uint64_t between_float(float a, float b) {
  uint32_t x, y;
  memcpy(&x, &a, 4);
  memcpy(&y, &b, 4);
  return (isnan(a) && isnan(b)) || a == b ? 0 : distance(x, y, 31);
}
static uint64_t between_double(double a, double b) {
  return (isnan(a) && isnan(b)) || a == b ? 0 : distance(bits(a), bits(b), 63);
}

#define MEASURE(type, parameters, arguments, name, x, y)                         \
  {                                                                              \
    extern type __nv_##name parameters;                                          \
    uint64_t most = 0;                                                           \
    for (side = -1; side <= 1; side++)                                           \
      for (int i = 0; i < 50000; i++) {                                          \
        type a = (type)(x), b = (type)(y);                                       \
        (void)b;                                                                 \
        uint64_t seen = between_##type(__nv_##name arguments, name arguments);   \
        most = seen > most ? seen : most;                                        \
      }                                                                          \
    printf("%s %llu\n", #name, (unsigned long long)most);                        \
  }
#define FLOAT(name, x) MEASURE(float, (float), (a), name, x, 0)
#define DOUBLE(name, x) MEASURE(double, (double), (a), name, x, 0)

int main(void) {
  FLOAT(expf, any_sign(argument(-30, 7)))
  DOUBLE(exp, any_sign(argument(-60, 10)))
  FLOAT(logf, argument(-149, 128))
  DOUBLE(log, argument(-1074, 1024))
  FLOAT(sinf, any_sign(argument(-30, 128)))
  DOUBLE(sin, any_sign(argument(-60, 1024)))
  FLOAT(cosf, any_sign(argument(-30, 128)))
  DOUBLE(cos, any_sign(argument(-60, 1024)))
  FLOAT(tanhf, any_sign(argument(-30, 7)))
  DOUBLE(tanh, any_sign(argument(-60, 10)))
  MEASURE(float, (float, float), (a, b), powf, argument(-30, 30), any_sign(argument(-10, 3)))
  MEASURE(double, (double, double), (a, b), pow, argument(-100, 100), any_sign(argument(-10, 4)))
}
