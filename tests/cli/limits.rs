//! The ends of memory and of the stack.

use crate::place::Place;

#[test]
fn memory_has_an_end() {
    let place = Place::new();
    // Two operands of 64 MiB, and 2^50 bytes between the two operations.
    place.write(
        "sum.nr",
        "func f(a: &Tensor<f32, [16777216, 1]>, b: &Tensor<f32, [16777216]>) -> f32 {
    (a + b).sum()
}",
    );
    for engine in ["jit", "interpreter"] {
        let words = ["--entry", "f", "--arg", "a=random:1", "--arg", "b=random:2"];
        let seen = place.command(&[&["run", "sum.nr", "--engine", engine], &words[..]].concat());
        seen.fails(1, "sum.nr:2:");
    }
}

#[test]
fn a_result_that_no_memory_holds_is_said_where_it_is_made() {
    let place = Place::new();
    let source = "func f(a: &Tensor<f32, [70000]>) -> Tensor<f32, [70000, 70000, 70000]> { \
         einsum(\"i,j,k->ijk\", a, a, a) }";
    place.write("cube.nr", source);
    let ends = |engine| {
        let words = ["--entry", "f", "--arg", "a=random:1", "--engine", engine];
        let seen = place.command(&[&["run", "cube.nr"], &words[..]].concat());
        seen.fails(1, "cube.nr:1:74: panic: ");
        seen.err
    };
    assert_eq!(ends("jit"), ends("interpreter"));
}

#[test]
fn recursion_through_operations_ends_at_the_same_place() {
    let place = Place::new();
    let source = "func f(a: Tensor<f32, [3]>) -> Tensor<f32, [3]> { f(a + 1.0) }
func main() { print(f(Tensor::<f32, [3]>::ones())) }
";
    place.write("ever.nr", source);
    for engine in ["jit", "interpreter"] {
        let seen = place.command(&["run", "ever.nr", "--engine", engine]);
        seen.fails(1, "ever.nr:1:53: panic: ");
    }
}

#[test]
fn recursion_has_an_end() {
    let place = Place::new();
    for engine in ["jit", "interpreter"] {
        let deep = |n: &str| {
            let n = format!("n={n}");
            place.run(&["--entry", "deep", "--engine", engine, "--arg", &n])
        };
        deep("9000").prints("9000\n");
        deep("1000000").fails(1, "f.nr:8:");
    }
}
