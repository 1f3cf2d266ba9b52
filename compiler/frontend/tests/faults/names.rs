//! Names and what they stand for.

use expect_test::expect;

use crate::refuses;

#[test]
fn names() {
    refuses(
        "func f() { x }

func f() { g() }

func f(x: T) { }

func f() { val x = y\n print(x) }

func f() { val _ = 1\n print(_) }

func f() { } func f() { }

func f(a: i32, a: i32) { }

type T = U; type U = T

const A: i32 = B; const B: i32 = A

func print() { }

struct S { s: (S, i32) }

struct S { a: i32, a: i32 }

impl S { }

func f() { self.x }

func f() { thread_id.x }

@kernel(threads: [1]) func k(t: &mut Tensor<f32, [1]>) { thread_id.w }

struct S { a: i32 } func f(s: S) { s.b }

struct S { a: i32 } func f() { S { a: 1, b: 2 } }

struct S { a: i32, b: i32 } func f() { S { a: 1 } }

struct S { a: i32 } impl S { func m(self) { } } func f(s: S) { s.n() }",
        expect![[r#"
            f.nr:1:12: error: there is no `x` here
            f.nr:1:12: error: there is no function `g`
            f.nr:1:11: error: there is no type `T`
            f.nr:1:20: error: there is no `y` here
            f.nr:2:8: error: there is no `_` here
            f.nr:1:19: error: `f` is declared twice
            f.nr:1:16: error: `a` is declared twice
            f.nr:1:6: error: type `T` refers to itself
            f.nr:1:7: error: constant `A` refers to itself
            f.nr:1:6: error: `print` is a name of the language
            f.nr:1:8: error: struct `S` holds itself
            f.nr:1:20: error: `a` is declared twice
            f.nr:1:6: error: there is no struct `S`
            f.nr:1:12: error: `self` outside of a method
            f.nr:1:12: error: `thread_id` stands in a kernel only
            f.nr:1:68: error: `thread_id` has `x`, `y` and `z`, no `w`
            f.nr:1:38: error: `S` has no field `b`
            f.nr:1:42: error: `S` has no field `b`
            f.nr:1:40: error: field `b` has no value
            f.nr:1:66: error: `S` has no method `n`
        "#]],
    );
}
