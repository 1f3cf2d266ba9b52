//! Scalars of every type, as C passes them and as the body takes them.

use std::fmt::Write as _;

use crate::workshop::Workshop;

/// A type, its name in C and in DLPack, and -2, 6 and -3 in it; the unsigned ones have 2 and 3.
const TYPES: [(&str, &str, &str, [&str; 3]); 12] = [
    ("i8", "int8_t", "kDLInt", ["-2", "6", "-3"]),
    ("i16", "int16_t", "kDLInt", ["-2", "6", "-3"]),
    ("i32", "int32_t", "kDLInt", ["-2", "6", "-3"]),
    ("i64", "int64_t", "kDLInt", ["-2", "6", "-3"]),
    ("u8", "uint8_t", "kDLUInt", ["2", "6", "3"]),
    ("u16", "uint16_t", "kDLUInt", ["2", "6", "3"]),
    ("u32", "uint32_t", "kDLUInt", ["2", "6", "3"]),
    ("u64", "uint64_t", "kDLUInt", ["2", "6", "3"]),
    (
        "f16",
        "uint16_t",
        "kDLFloat",
        ["0xc000", "0x4600", "0xc200"],
    ),
    (
        "bf16",
        "uint16_t",
        "kDLBfloat",
        ["0xc000", "0x40c0", "0xc040"],
    ),
    ("f32", "float", "kDLFloat", ["-2", "6", "-3"]),
    ("f64", "double", "kDLFloat", ["-2", "6", "-3"]),
];

/// More scalars than there are registers, and a `bool` that the body takes and does not read.
#[test]
fn scalars_of_every_type_arrive() {
    let workshop = Workshop::new();
    let mut source = String::new();
    let mut main =
        "#include \"scalars.h\"\nint main(void) {\n  int64_t shape[] = {1};\n".to_string();
    for (ty, c, code, [divisor, dividend, quotient]) in TYPES {
        let scalars: Vec<String> = (0..12).map(|index| format!("k{index}: {ty}")).collect();
        let _ = writeln!(
            source,
            "func {ty}_(x: &Tensor<{ty}, [1]>, yes: bool, {}) -> Tensor<{ty}, [1]> {{ x / k0 * k11 / k11 }}",
            scalars.join(", ")
        );
        let arguments = [divisor; 12].join(", ");
        let _ = writeln!(
            main,
            "  {{
    {c} x[] = {{{dividend}}}, z[] = {{0}};
    DLTensor dx = {{x, {{kDLCPU, 0}}, 1, {{{code}, sizeof x * 8, 1}}, shape, NULL, 0}}, dz = dx;
    dz.data = z;
    NeuroStatus status = neuro_{ty}_(&dx, true, {arguments}, &dz, NULL);
    printf(\"{ty} %d %d\\n\", status, z[0] == ({c}){quotient});
  }}"
        );
    }
    main += "  return 0;\n}\n";
    workshop.write("scalars.nr", source);
    workshop.write("main.c", main);
    workshop.build("scalars.nr", &[]);
    workshop.link("main.c", "scalars");
    let expected: String = TYPES.iter().map(|(ty, ..)| format!("{ty} 0 1\n")).collect();
    assert_eq!(workshop.run().out, expected);
}
