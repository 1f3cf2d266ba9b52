//! Attributes of functions.

use expect_test::expect;

use crate::refuses;

#[test]
fn attributes() {
    refuses(
        "@cpu func f() { }

@gpu(fall: true) func f() { }

@gpu @gpu func f() { }

@kernel func k(t: &mut Tensor<f32, [1]>) { }

@kernel(threads: [0]) func k(t: &mut Tensor<f32, [1]>) { }

@kernel(threads: [64, 64]) func k(t: &mut Tensor<f32, [1]>) { }

@kernel(threads: [1]) func k(t: &Tensor<f32, [1]>) { }

@kernel(threads: [1]) func k(t: &mut Tensor<f32, [1]>) -> i32 { 1 }

@kernel(threads: [1]) func k(t: &mut Tensor<f32, [1]>) { } func f() { val g = k }

struct S { a: i32 } impl S { @gpu func f(&self) { } }",
        expect![[r#"
            f.nr:1:1: error: no attribute `@cpu`
            f.nr:1:1: error: malformed `@gpu`
            f.nr:1:6: error: one attribute a function
            f.nr:1:1: error: malformed `@kernel`
            f.nr:1:1: error: a block has 1 to 3 extents and 1 to 1,024 threads
            f.nr:1:1: error: a block has 1 to 3 extents and 1 to 1,024 threads
            f.nr:1:23: error: a kernel without a `&mut` tensor
            f.nr:1:23: error: a kernel returns nothing
            f.nr:1:79: error: kernel `k` is no value: call it by name
            f.nr:1:30: error: a method runs on the host
        "#]],
    );
}
