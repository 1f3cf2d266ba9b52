//! Types of scalar code.

use expect_test::expect;

use crate::refuses;

#[test]
fn types() {
    refuses(
        "func f() -> i32 { 1.5 }

func f() -> i32 { }

func f() -> i32 { return }

func f() { return 1 }

func f(c: bool) -> i32 { if c { 1 } }

func f(c: bool) -> i32 { if c { 1 } else { 2.5 } }

func f(c: bool, x: i32, y: f32) { val z = if c { x } else { y } }

func f(x: i32, y: f32) { x + y }

func f(x: i32) { x && true }

func f(x: bool) { -x }

func f(x: u8) { -x }

func f(x: bool, y: bool) { x < y }

func f(x: f32) { x as bool }

func f(x: i32) { if x { } }

func f() { val x: u8 = 256 }

func f() { val x: i8 = -129 }

func f() { 5000000000 }

func f() { 1e400 }

func f() { val (a, b) = 1 }

func f() { val (a, b) = (1, 2, 3) }

func f() { (1, 2).2 }

func f(x: i32) { x = 1 }

func f() { val x = 1\n x += 1 }

func f() { 1 = 2 }

func f() { break }

func f() { for i in 3 { } }

func f() { for i in 0..2.5 { } }

func f() { val x = print(1) }

func f(x: i32) { x() }

func f(x: i32) { f(x, 1) }

func f(x: i32) { f(x: 1) }

func f() { val g = |x| x }

func f(t: &Tensor<f32, [2]>) { val g = || t[0] }

func f() { mut x = 1\n val g = || { x = 2 } }

func f() { (1..2) }

const A: i32 = f(); func f() -> i32 { 1 }

const A: u8 = 200 + 100

func f() { 2.abs() }",
        expect![[r#"
            f.nr:1:19: error: expected `i32`, found a number with a fraction
            f.nr:1:19: error: there is no value of type `i32`
            f.nr:1:19: error: `return` without its value of type `i32`
            f.nr:1:19: error: this function returns nothing
            f.nr:1:26: error: expected `i32`, found no value
            f.nr:1:44: error: expected `i32`, found a number with a fraction
            f.nr:1:61: error: the branches give `i32` and `f32`
            f.nr:1:26: error: `i32` + `f32`: their types differ
            f.nr:1:18: error: `i32` && `bool`: their types differ
            f.nr:1:19: error: `-` does not apply to `bool`
            f.nr:1:17: error: `-` does not apply to `u8`
            f.nr:1:28: error: `<` does not apply to `bool` and `bool`
            f.nr:1:18: error: a `f32` does not cast to `bool`
            f.nr:1:21: error: expected `bool`, found `i32`
            f.nr:1:24: error: the number does not fit in `u8`
            f.nr:1:24: error: the number does not fit in `i8`
            f.nr:1:12: error: the number does not fit in `i32`
            f.nr:1:12: error: the number does not fit in `f64`
            f.nr:1:25: error: the pattern takes 2 members, this is `i32`
            f.nr:1:25: error: the pattern takes 2 members, this is `(i32, i32, i32)`
            f.nr:1:12: error: `(i32, i32)` has no member 2
            f.nr:1:18: error: `x` cannot be changed
            f.nr:2:2: error: `x` cannot be changed
            f.nr:1:12: error: this cannot be assigned to
            f.nr:1:12: error: `break` outside of a loop
            f.nr:1:21: error: `for` runs over a range
            f.nr:1:21: error: a range from `f64` to `f64`: its bounds are of one integer type
            f.nr:1:20: error: there is no value to bind
            f.nr:1:18: error: a `i32` cannot be called
            f.nr:1:18: error: `f` takes 1 argument, not 2
            f.nr:1:20: error: an argument without a name is expected: remove `x:`
            f.nr:1:21: error: `x` has no type
            f.nr:1:43: error: a closure captures scalars only: `t` is a `&Tensor<f32, [2]>`
            f.nr:2:15: error: `x` is a copy that the closure captured
            f.nr:1:13: error: a range is no value
            f.nr:1:16: error: this is not constant
            f.nr:1:15: error: the value of this constant is no `u8`
            f.nr:1:14: error: `abs` takes floats, not `i32`
        "#]],
    );
}
