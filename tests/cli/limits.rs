//! The ends of memory and of the stack.

use crate::place::Place;

/// What has no memory is said alike by both engines, at the operation that makes it.
#[test]
fn memory_has_an_end() {
    let place = Place::new();
    // 8 MiB, its square 8 TiB; its cube has 2^63 bytes, and no type of MLIR's.
    let program = "type A = Tensor<f64, [1048576]>
type Square = Tensor<f64, [1048576, 1048576]>
type Cube = Tensor<f64, [1048576, 1048576, 1048576]>
func result(a: &A) -> Square { einsum(\"i,j->ij\", a, a) }
func within(a: &A) -> f64 { (einsum(\"i,j->ij\", a, a) + 1.0).sum() }
func cube(a: &A) -> Cube { einsum(\"i,j,k->ijk\", a, a, a) }
func cube_within(a: &A) -> f64 { einsum(\"i,j,k->ijk\", a, a, a).sum() }
func tuple(a: &A) -> (A, Square) { (a + 1.0, einsum(\"i,j->ij\", a, a)) }
func assigned(a: &A) { mut b = a.clone()\n b += einsum(\"i,j->ij\", a, a).sum(axis: 0) }
";
    place.write("big.nr", program);
    let terabytes = "out of memory: no memory for 8796093022208 bytes\n";
    let cube = "out of memory: a tensor of f64 with the shape [1048576, 1048576, 1048576] is larger \
                than the address space\n";
    for (entry, at, message) in [
        ("result", "4:32", terabytes),
        ("within", "5:30", terabytes),
        ("cube", "6:28", cube),
        ("cube_within", "7:34", cube),
        ("tuple", "8:46", terabytes),
        ("assigned", "10:7", terabytes),
    ] {
        for engine in ["interpreter", "jit"] {
            let words = ["run", "big.nr", "--entry", entry, "--arg", "a=random:1"];
            let seen = place.command(&[&words[..], &["--engine", engine]].concat());
            seen.fails(1, &format!("big.nr:{at}: panic: {message}"));
        }
    }
    let seen = place.command(&["emit", "big.nr", "--stage", "link"]);
    assert_eq!(seen.status, 0);
    assert!(
        seen.err.contains("note: `cube` has no body: "),
        "{}",
        seen.err
    );
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

/// A body past a limit of the status word has no code; the interpreter needs none.
#[test]
fn a_body_past_a_limit_is_refused_where_it_is_called() {
    let place = Place::new();
    let step = |n| format!("    val a = a + {n}\n");
    let steps: String = (0..4096).map(step).collect();
    let program = format!(
        "func long(a: &Tensor<i32, [2]>) -> Tensor<i32, [2]> {{\n{steps}    a - 1\n}}
func short(a: &Tensor<i32, [2]>) -> Tensor<i32, [2]> {{ a - a }}
func main() {{
    val a: Tensor<i32, [2]> = [1, 2]
    print(long(&a))
}}
"
    );
    place.write("long.nr", program);
    let run = |entry, words: &[&str]| {
        place.command(&[&["run", "long.nr", "--entry", entry], words].concat())
    };
    let text = "long.nr:4097:13: error: `long` cannot be compiled: a body with checks and over 4,095 \
                operations\n";
    run("main", &[]).fails(2, text);
    let sums = "[8386560 8386561]\n";
    run("main", &["--engine", "interpreter"]).prints(sums);
    run("short", &["--arg", "a=random:1"]).prints("[0 0]\n");
    // Without checks there is no limit.
    run("main", &["--overflow", "wrapping"]).prints(sums);
}
