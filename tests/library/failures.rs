//! What the header's functions say of wrong arguments and of failed programs.

use std::fmt::Write as _;

use tensor::{Tensor, npy};

use crate::support;
use crate::workshop::{PROGRAM, Workshop};

#[test]
fn a_wrong_argument_is_named() {
    let workshop = Workshop::new();
    workshop.write("layers.nr", PROGRAM);
    workshop.build("layers.nr", &[]);
    workshop.write("refusals.c", include_str!("refusals.c"));
    workshop.link("refusals.c", "layers");
    let seen = workshop.run();
    assert_eq!((seen.status, seen.err.as_str()), (Some(0), ""));
    assert_eq!(seen.out, include_str!("refusals.txt"));
}

const FAILING: &str = "\
func scale(a: &Tensor<i32, [2, 3]>, b: &Tensor<i32, [1]>) -> Tensor<i32, [2, 3]> { a * b }
func divide(a: &Tensor<i32, [2, 3]>, b: &Tensor<i32, [2, 1]>) -> Tensor<i32, [2, 3]> { a / b }
func remain(a: &Tensor<i32, [2, 3]>, b: &Tensor<i32, [2, 1]>) -> Tensor<i32, [2, 3]> { (a + 1) % b }
func product(a: &Tensor<i32, [2, 3]>, b: &Tensor<i32, [3, 2]>) -> Tensor<i32, [2, 2]> { a @ b }
func sums(a: &Tensor<i32, [2, 3]>, b: &Tensor<i32, [2]>) -> Tensor<i32, [2]> { a.sum(axis: 1) - b }
func deep(a: &Tensor<i32, [1, 1, 2, 1, 1, 3]>, b: &Tensor<i32, [1]>) -> Tensor<i32, [1, 1, 2, 1, 1, 3]> { a - b }
func point(a: &Tensor<i32, []>, b: &Tensor<i32, []>) -> Tensor<i32, []> { a - b }
";

/// A function of [`FAILING`] and operands on which it fails.
struct Case {
    function: &'static str,
    a: (&'static [u64], &'static [i32]),
    b: (&'static [u64], &'static [i32]),
    result: &'static [u64],
}

const CASES: [Case; 9] = [
    Case {
        function: "scale",
        a: (&[2, 3], &[1, 2, 3, 4, 5, 6]),
        b: (&[1], &[500_000_000]),
        result: &[2, 3],
    },
    Case {
        function: "divide",
        a: (&[2, 3], &[1, 2, 3, 4, 5, 6]),
        b: (&[2, 1], &[1, 0]),
        result: &[2, 3],
    },
    Case {
        function: "divide",
        a: (&[2, 3], &[1, i32::MIN, 3, 4, 5, 6]),
        b: (&[2, 1], &[-1, 0]),
        result: &[2, 3],
    },
    Case {
        function: "remain",
        a: (&[2, 3], &[1, 2, 3, 4, 5, i32::MAX]),
        b: (&[2, 1], &[1, 0]),
        result: &[2, 3],
    },
    Case {
        function: "product",
        a: (&[2, 3], &[1, 0, 0, 0, i32::MAX, 3]),
        b: (&[3, 2], &[1, 2, 1, 1, 5, 1]),
        result: &[2, 2],
    },
    Case {
        function: "sums",
        a: (&[2, 3], &[1, 2, 3, 1, i32::MAX, 1]),
        b: (&[2], &[i32::MIN, 0]),
        result: &[2],
    },
    Case {
        function: "sums",
        a: (&[2, 3], &[1, 2, 3, 4, 5, 6]),
        b: (&[2], &[0, i32::MIN]),
        result: &[2],
    },
    Case {
        function: "deep",
        a: (&[1, 1, 2, 1, 1, 3], &[1, 2, 3, 4, -2, 6]),
        b: (&[1], &[i32::MAX]),
        result: &[1, 1, 2, 1, 1, 3],
    },
    Case {
        function: "point",
        a: (&[], &[-2]),
        b: (&[], &[i32::MAX]),
        result: &[],
    },
];

#[test]
fn a_failed_program_says_the_line_that_the_driver_prints() {
    let workshop = Workshop::new();
    workshop.write("failing.nr", FAILING);
    workshop.build("failing.nr", &[]);
    let mut main = "#include \"failing.h\"\nint main(void) {\n".to_string();
    main += "  NeuroFailure failure;\n  char text[200];\n";
    for case in &CASES {
        let Case {
            function,
            a,
            b,
            result,
        } = case;
        let _ = writeln!(
            main,
            "  {{\n{}{}{}",
            variable("a", a),
            variable("b", b),
            variable("z", &(result, &[]))
        );
        let _ = writeln!(
            main,
            "    if (neuro_{function}(&a, &b, &z, &failure) == NEURO_OK) return 1;"
        );
        main += "    NeuroFailureText(&failure, text, sizeof text);\n    puts(text);\n  }\n";
    }
    main += "  return 0;\n}\n";
    workshop.write("main.c", main);
    workshop.link("main.c", "failing");
    let seen = workshop.run();
    assert_eq!(seen.status, Some(0), "{seen:?}");
    let printed: String = CASES
        .iter()
        .map(|case| panic_line(&workshop, case))
        .collect();
    assert_eq!(seen.out, printed);
}

/// A `DLTensor` of a name, and its data.
fn variable(name: &str, (shape, data): &(&[u64], &[i32])) -> String {
    let list = |numbers: &[String]| numbers.join(", ");
    let shape_text: Vec<String> = shape.iter().map(u64::to_string).collect();
    let data_text: Vec<String> = data
        .iter()
        .map(|&number| format!("(int32_t){}", i64::from(number)))
        .collect();
    let rank = shape.len();
    format!(
        "    int32_t {name}_data[6] = {{{}}};\n    int64_t {name}_shape[] = {{{}}};\n    \
         DLTensor {name} = {{{name}_data, {{kDLCPU, 0}}, {rank}, {{kDLInt, 32, 1}}, {name}_shape, NULL, 0}};\n",
        list(&[data_text, vec!["0".into()]].concat()[..data.len().max(1)]),
        list(&[shape_text, vec!["0".into()]].concat()),
    )
}

fn panic_line(workshop: &Workshop, case: &Case) -> String {
    let mut command = support::neuro_mlir();
    command.args(["run", "failing.nr", "--entry", case.function]);
    for (name, (shape, data)) in [("a", case.a), ("b", case.b)] {
        let path = workshop.path(&format!("{name}.npy"));
        npy::write(&path, &Tensor::from_slice(shape, data).unwrap()).unwrap();
        command.args(["--arg", &format!("{name}={name}.npy")]);
    }
    let seen = workshop.seen(&mut command);
    assert_eq!(seen.status, Some(1), "{seen:?}");
    seen.err
}

/// As docs/abi.md works it out.
#[test]
fn a_status_word_is_an_operation_a_position_and_a_check() {
    let workshop = Workshop::new();
    workshop.write("failing.nr", FAILING);
    workshop.build("failing.nr", &[]);
    let main = "
        #include \"failing.h\"
        int main(void) {
          int32_t a[] = {0, 0, 0, 1, INT32_MAX, 0}, b[] = {0, 1, 0, 1, 0, 0}, out[4];
          uint64_t word = UINT64_MAX;
          __neuro_mlir_product(a, a, 0, 2, 3, 3, 1, b, b, 0, 3, 2, 2, 1, &word, &word, 0, out, out, 0, 2, 2, 2, 1);
          printf(\"%\" PRIx64, word);
          return 0;
        }";
    workshop.write("main.c", main);
    workshop.link("main.c", "failing");
    assert_eq!(workshop.run().out, "a002");
}
