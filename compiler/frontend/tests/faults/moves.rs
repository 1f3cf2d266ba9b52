//! Moves and borrows.

use expect_test::expect;

use crate::refuses;

#[test]
fn moves() {
    refuses(
        "type T = Tensor<f32, [2]>; func take(t: T) { } func f(a: T) { take(a)\n take(a) }

func f(a: Tensor<f32, [2]>) { val b = a + a }

type T = Tensor<f32, [2]>; func take(t: T) { } func f(a: &T) { take(a) }

type T = Tensor<f32, [2]>; func take(t: T) { } func f(a: T) { for i in 0..2 { take(a) } }

type T = Tensor<f32, [2]>; func take(t: T) { } func f(a: T, c: bool) { if c { take(a) }\n print(a) }

type T = Tensor<f32, [2]>; func two(a: &mut T, b: &T) { } func f(t: T) { mut a = t\n two(&mut a, &a) }

type T = Tensor<f32, [2]>; func two(a: &mut T, b: &mut T) { } func f(a: &mut T) { two(a, a) }

func f() -> &Tensor<f32, [1]> { val t: Tensor<f32, [1]> = [1.0]\n &t }

func f(t: Tensor<f32, [1]>) { val r = &t\n val u = t\n print(r) }

func f(t: Tensor<f32, [1]>) { mut u = t\n val r = &u\n u[0] = 2.0\n print(r) }

func f() { val r = { val t: Tensor<f32, [1]> = [1.0]\n &t } }

struct S { t: Tensor<f32, [1]> } func f(s: &S) -> Tensor<f32, [1]> { s.t }

struct S { t: Tensor<f32, [1]> } func f(s: S) { val t = s.t\n print(s.t) }",
        expect![[r#"
            f.nr:2:7: error: `a` is used after it was moved
            f.nr:1:43: error: `a` is used after it was moved
            f.nr:1:69: error: expected `Tensor<f32, [2]>`, found `&Tensor<f32, [2]>`
            f.nr:1:84: error: `a` is used after it was moved
            f.nr:2:8: error: `a` is used after it was moved
            f.nr:2:14: error: `a` is used here, and taken as `&mut` beside it
            f.nr:1:90: error: `a` is used here, and taken as `&mut` beside it
            f.nr:2:2: error: `t` ends with this function, and is borrowed past it
            f.nr:3:8: error: `r` refers to `t`, which has changed since
            f.nr:4:8: error: `r` refers to `u`, which has changed since
            f.nr:1:20: error: `t` ends with this block, and is borrowed past it
            f.nr:1:70: error: this cannot be moved out of `s`, which is borrowed
            f.nr:2:8: error: `s` is used after it was moved
        "#]],
    );
}
