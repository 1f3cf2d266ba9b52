//! Functions of C that bodies call.

use std::fmt::Write as _;

use crate::workshop::Workshop;

/// A type, its name in C and in DLPack, and three values that come out wrong where an argument or
/// an answer is extended wrongly.
const TYPES: [(&str, &str, &str, [&str; 3]); 13] = [
    ("i8", "int8_t", "kDLInt", ["-128", "-1", "127"]),
    ("i16", "int16_t", "kDLInt", ["-32768", "-1", "32767"]),
    ("i32", "int32_t", "kDLInt", ["INT32_MIN", "-1", "INT32_MAX"]),
    (
        "i64",
        "int64_t",
        "kDLInt",
        ["-9007199254740992", "-1", "9007199254740992"],
    ),
    ("u8", "uint8_t", "kDLUInt", ["0", "128", "255"]),
    ("u16", "uint16_t", "kDLUInt", ["0", "32768", "65535"]),
    (
        "u32",
        "uint32_t",
        "kDLUInt",
        ["0", "2147483648u", "UINT32_MAX"],
    ),
    ("u64", "uint64_t", "kDLUInt", ["0", "1", "9007199254740992"]),
    (
        "f16",
        "uint16_t",
        "kDLFloat",
        ["0x8000", "0x0001", "0xfbff"],
    ),
    (
        "bf16",
        "uint16_t",
        "kDLBfloat",
        ["0x8000", "0x0001", "0xff7f"],
    ),
    (
        "f32",
        "float",
        "kDLFloat",
        ["-0.0f", "0x1p-149f", "0x1p127f"],
    ),
    (
        "f64",
        "double",
        "kDLFloat",
        ["-0.0", "0x1p-1074", "0x1p1023"],
    ),
    ("bool", "bool", "kDLBool", ["true", "false", "true"]),
];

/// Each is called with its environment and with what the tensor has, and its answer arrives.
#[test]
fn functions_of_every_type_are_called() {
    let workshop = Workshop::new();
    let mut source = String::new();
    let mut calls = String::new();
    let mut main = "#include \"functions.h\"\n#include <string.h>\n".to_string();
    for (ty, c, code, values) in TYPES {
        let _ = writeln!(
            source,
            "func {ty}_(x: &Tensor<{ty}, [3]>, f: func({ty}) -> {ty}) -> Tensor<{ty}, [3]> {{ x.map(f) }}"
        );
        let _ = writeln!(
            main,
            "static {c} call_{ty}(void *environment, {c} x) {{ *(double *)environment += (double)x; return x; }}"
        );
        let values = values.join(", ");
        let _ = writeln!(
            calls,
            "  {{
    {c} x[] = {{{values}}}, z[3];
    DLTensor dx = {{x, {{kDLCPU, 0}}, 1, {{{code}, sizeof x[0] * 8, 1}}, shape, NULL, 0}}, dz = dx;
    double sum = 0, expected = (double)x[0] + (double)x[1] + (double)x[2];
    dz.data = z;
    NeuroStatus status = neuro_{ty}_(&dx, call_{ty}, &sum, &dz, NULL);
    printf(\"{ty} %d %d %d\\n\", status, memcmp(x, z, sizeof x), sum == expected);
  }}"
        );
    }
    main += "int main(void) {\n  int64_t shape[] = {3};\n";
    main += &calls;
    main += "  return 0;\n}\n";
    workshop.write("functions.nr", source);
    workshop.write("main.c", main);
    workshop.build("functions.nr", &[]);
    workshop.link("main.c", "functions");
    let expected: String = TYPES
        .iter()
        .map(|(ty, ..)| format!("{ty} 0 0 1\n"))
        .collect();
    assert_eq!(workshop.run().out, expected);
}

const STEPS: &str = "\
func steps(x: &Tensor<i32, [2]>, y: &Tensor<i32, [2]>, f: func(i32) -> i32, f_environment: i32) -> Tensor<i32, [2]> {
    (x.map(f) / y).map(f) + f_environment
}
func halves(
    x: &Tensor<f16, [2]>, y: &Tensor<i8, [2]>, t: &Tensor<bf16, [2]>,
    f: func(f16, i8) -> bool, g: func(bf16, bool) -> bf16, start: bf16,
) -> Tensor<bf16, [2]> {
    t * x.zip(y, f).reduce(start, g)
}
";

const STEPS_IN_C: &str = r#"
#include "steps.h"

static int32_t half_of(void *calls, int32_t x) { ++*(int *)calls; return x / 2; }

static bool is_minus_one(void *calls, uint16_t x, int8_t y) { ++*(int *)calls; return x == 0xbc00 && y == -1; }

static uint16_t negate(void *calls, uint16_t acc, bool x) { ++*(int *)calls; return x ? acc ^ 0x8000 : acc; }

static DLTensor tensor(void *data, uint8_t code, uint8_t bits) {
  static int64_t shape[] = {2};
  DLTensor made = {data, {kDLCPU, 0}, 1, {code, bits, 1}, shape, NULL, 0};
  return made;
}

int main(void) {
  int32_t x[] = {12, 40}, y[2], z[2];
  DLTensor dx = tensor(x, kDLInt, 32), dy = tensor(y, kDLInt, 32), dz = tensor(z, kDLInt, 32);
  int32_t divisors[][2] = {{1, 2}, {0, 2}};
  char text[200];
  NeuroFailure failure;
  for (int at = 0; at < 3; ++at) {
    int calls = 0;
    y[0] = divisors[at % 2][0], y[1] = divisors[at % 2][1];
    if (neuro_steps(&dx, &dy, at == 2 ? NULL : half_of, &calls, 100, &dz, &failure) == NEURO_OK) {
      printf("%d %d", z[0], z[1]);
    } else {
      NeuroFailureText(&failure, text, sizeof text);
      printf("%s", text);
    }
    printf(", %d calls\n", calls);
  }
  uint16_t h[] = {0xbc00, 0x3c00}, t[] = {0x3f80, 0xc000}, out[2];
  int8_t b[] = {-1, -1};
  int calls = 0;
  DLTensor dh = tensor(h, kDLFloat, 16), db = tensor(b, kDLInt, 8), dt = tensor(t, kDLBfloat, 16), dout = dt;
  dout.data = out;
  printf("%d ", neuro_halves(&dh, &db, &dt, is_minus_one, &calls, negate, &calls, 0x4040, &dout, NULL));
  printf("%04x %04x, %d calls\n", out[0], out[1], calls);
  return 0;
}
"#;

/// `-3 * [1, -2]`, since the one of the two pairs changes the sign of 3.
const SAID: &str = "\
103 105, 4 calls
steps.nr:2:6: panic: division by zero in `/` at element [0], 2 calls
steps: the argument `f` (func(i32) -> i32): a null pointer, 0 calls
0 c040 40c0, 4 calls
";

#[test]
fn a_failed_check_ends_the_calls_and_halves_pass_as_bits() {
    let workshop = Workshop::new();
    workshop.write("steps.nr", STEPS);
    workshop.write("main.c", STEPS_IN_C);
    workshop.build("steps.nr", &[]);
    workshop.link("main.c", "steps");
    assert_eq!(workshop.run().out, SAID);
}
