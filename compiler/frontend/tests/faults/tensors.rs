//! Tensors' shapes, element types and arguments.

use expect_test::expect;

use crate::refuses;

#[test]
fn tensors() {
    refuses(
        "func f() { val t: Tensor<f32, [2]> = [1.0, 2.0, 3.0] }

func f() { val t: Tensor<f32, [2, 1]> = [1.0, 2.0] }

func f() { [1.0] }

func f(t: Tensor<f32, [9223372036854775808]>) { }

func f(t: Tensor<f32, [4294967296, 4294967296]>) { }

func f(t: Tensor<Tensor<f32, [2]>, [2]>) { }

func f(t: Tensor<f32, [N]>) { }

func f(t: Tensor<f32, [a: 1, a: 2]>) { }

func f(a: Tensor<f32, [2]>, b: Tensor<f32, [3]>) { a + b }

func f(a: Tensor<f32, [2]>, b: Tensor<f64, [2]>) { a + b }

func f(a: Tensor<bool, [2]>) { a + a.clone() }

func f(a: Tensor<u8, [2]>) { -a }

func f(a: Tensor<f32, [2, 3]>, b: Tensor<f32, [2, 3]>) { a @ b }

func f(a: Tensor<f32, [2]>) { a @ 2.0 }

func f(a: Tensor<f32, [2]>) { a == a.clone() }

func f(a: &Tensor<f32, [?]>) { a + a }

func f(a: &Tensor<f32, [?]>) { a.sum() }

func f(a: &Tensor<f32, [2]>) { a.sum(axis: 1) }

func f(a: &Tensor<f32, [2]>) { a.sum(axis: -2) }

func f(a: &Tensor<f32, [rows: 2]>) { a.sum(axis: cols) }

func f(a: &Tensor<f32, [2]>) { a.sum(0) }

func f(a: &Tensor<i32, [2]>) { a.mean() }

func f(a: &Tensor<f32, [0, 2]>) { a.max(axis: 0) }

func f(a: &Tensor<bool, [2]>) { a.sort() }

func f(a: &Tensor<f32, [2]>) { a.topk(k: 3) }

func f(a: &Tensor<f32, [2]>) { a.topk() }

func f(a: &Tensor<i32, [2]>) { a.exp() }

func f(a: &Tensor<f32, [2]>) { a[0, 1] }

func f(a: &Tensor<f32, [2]>) { a[0.5] }

func f(a: &Tensor<f32, [2, 2]>) { a[2, ..] }

func f(a: &Tensor<f32, [2]>) { a[0..3] }

func f(a: &Tensor<f32, [2]>, n: i32) { a[0..n] }

func f(a: &Tensor<f32, [2]>) { a[0] = 1.0 }

func f(a: Tensor<f32, [2]>) { a[0] = 1.0 }

func f(a: &Tensor<f32, [2]>) { a.t() }

func f(a: &Tensor<f32, [2, 2]>) { a.permute([0, 0]) }

func f(a: &Tensor<f32, [2, 2]>) { a.reshape([3, -1]) }

func f(a: &Tensor<f32, [0, 2]>) { a.reshape([0, -1]) }

func f(a: &Tensor<f32, [2, 2]>) { a.reshape([5]) }

func f(a: &Tensor<f32, [2, 2, 2]>) { a.flatten(dims: [0, 2]) }

func f(a: &Tensor<f32, [2, 3]>) { einsum(\"ij,jk->ik\", a, a) }

func f(a: &Tensor<f32, [2, 3]>) { einsum(\"ij->k\", a) }

func f(a: &Tensor<f32, [2, 3]>) { einsum(\"i\", a) }

func f(a: &Tensor<f32, [2]>) { a.map(|x: i32| x) }

func f(a: &Tensor<f32, [2]>, b: &Tensor<f32, [1]>) { a.zip(b, |x, y| x) }

func f(a: &mut Tensor<f32, [2]>, b: &Tensor<f32, [2, 2]>) { a += b }

func f(a: &Tensor<f32, [2]>) { a += 1.0 }

func f() { Tensor::zeros() }

func f() { Tensor::<f32, [2]>::identity() }

func f() { Tensor::<f32, [2]>::random() }

func f(a: &Tensor<f32, [2]>) { a.to(0) }

func f(a: &Tensor<char, [2]>) { a.reshape([2, 1]) }

func f(a: &Tensor<char, [2]>) { a[0..1] }

func f(a: &Tensor<char, [2]>) { a.map(|c| c as u8) }

func f(a: &Tensor<u8, [2]>) { a.map(|n| n as char) }

func f(a: &Tensor<u8, [2]>) { a.reduce('a', |c, n| c) }

func f(a: &Tensor<f32, [2]>) { a.size() }

func f(a: &Tensor<f32, [2]>, b: f32) { b.pow(a) }

@gpu func f(a: &Tensor<f32, [2, 2]>, n: i64) -> Tensor<f32, [2]> { a[n, ..] }",
        expect![[r#"
            f.nr:1:38: error: axis 0 of `Tensor<f32, [2]>` has 2 positions, not 3
            f.nr:1:42: error: expected the elements of axis 1 of `Tensor<f32, [2, 1]>`
            f.nr:1:12: error: the type of this tensor is not known
            f.nr:1:11: error: `Tensor<f32, [9223372036854775808]>` has 2^63 elements or more
            f.nr:1:11: error: `Tensor<f32, [4294967296, 4294967296]>` has 2^63 elements or more
            f.nr:1:18: error: a tensor of `Tensor<f32, [2]>`: its elements are scalars
            f.nr:1:24: error: there is no constant `N`
            f.nr:1:30: error: two axes of one name
            f.nr:1:52: error: `Tensor<f32, [2]>` + `Tensor<f32, [3]>`: shapes do not agree
            f.nr:1:52: error: `Tensor<f32, [2]>` + `Tensor<f64, [2]>`: their types differ
            f.nr:1:32: error: `+` does not apply to `Tensor<bool, [2]>` and `Tensor<bool, [2]>`
            f.nr:1:30: error: `-` does not apply to `Tensor<u8, [2]>`
            f.nr:1:58: error: `Tensor<f32, [2, 3]>` @ `Tensor<f32, [2, 3]>`: shapes do not agree
            f.nr:1:31: error: `@` does not apply to `Tensor<f32, [2]>` and `f32`
            f.nr:1:31: error: `==` does not apply to `Tensor<f32, [2]>` and `Tensor<f32, [2]>`
            f.nr:1:32: error: `Tensor<f32, [?]>` has an extent that is not known
            f.nr:1:32: error: `Tensor<f32, [?]>` has an extent that is not known
            f.nr:1:44: error: `Tensor<f32, [2]>` has no axis 1
            f.nr:1:44: error: `Tensor<f32, [2]>` has no axis -2
            f.nr:1:50: error: `Tensor<f32, [rows: 2]>` has no axis `cols`
            f.nr:1:34: error: `sum` takes 0 arguments, not 1
            f.nr:1:34: error: `mean` does not apply to `Tensor<i32, [2]>`
            f.nr:1:37: error: `max` of no elements: `Tensor<f32, [0, 2]>`
            f.nr:1:35: error: `sort` takes numbers, not `Tensor<bool, [2]>`
            f.nr:1:42: error: axis 0 of `Tensor<f32, [2]>` has no first 3 elements
            f.nr:1:34: error: `topk` takes `k:`
            f.nr:1:34: error: `exp` takes floats, not `&Tensor<i32, [2]>`
            f.nr:1:32: error: `Tensor<f32, [2]>` takes an entry an axis: 1, not 2
            f.nr:1:34: error: an index is an integer, not `f64`
            f.nr:1:37: error: index 2 is out of range for axis 0 of extent 2
            f.nr:1:34: error: 0..3 is no part of axis 0
            f.nr:1:45: error: the bounds of a slice are constant
            f.nr:1:32: error: this is behind a `&`, and cannot be changed
            f.nr:1:31: error: `a` cannot be changed
            f.nr:1:34: error: `t` swaps two axes: `Tensor<f32, [2]>` has not so many
            f.nr:1:45: error: axis 0 is named twice
            f.nr:1:45: error: the extent that `-1` stands for is not determined
            f.nr:1:45: error: the extent that `-1` stands for is not determined
            f.nr:1:45: error: `Tensor<f32, [2, 2]>` does not have the elements of `Tensor<f32, [5]>`
            f.nr:1:54: error: the axes to flatten follow each other
            f.nr:1:58: error: `j` has two extents: 3 and 2
            f.nr:1:42: error: `k` stands in no input
            f.nr:1:42: error: an `einsum` has an arrow before the letters of its result, as in `"ij,jk->ik"`
            f.nr:1:38: error: expected a function of (f32) that gives a number or a `bool`, found `func(i32) -> i32`
            f.nr:1:60: error: `zip` takes two tensors of one shape, not `Tensor<f32, [2]>` and `Tensor<f32, [1]>`
            f.nr:1:61: error: a `&Tensor<f32, [2, 2]>` does not broadcast to the `&mut Tensor<f32, [2]>` of `+=`
            f.nr:1:32: error: this is behind a `&`, and cannot be changed
            f.nr:1:12: error: the type of this tensor is not known
            f.nr:1:12: error: an identity has two axes, `Tensor<f32, [2]>` has not
            f.nr:1:32: error: there is no `Tensor::random`
            f.nr:1:37: error: this is no device
            f.nr:1:33: error: a `Tensor<char, [2]>` has no operations but on its elements
            f.nr:1:33: error: a `Tensor<char, [2]>` has no operations but on its elements
            f.nr:1:33: error: a `Tensor<char, [2]>` has no operations but on its elements
            f.nr:1:37: error: expected a function of (u8) that gives a number or a `bool`, found `func(u8) -> char`
            f.nr:1:40: error: expected a number or a `bool`, found `char`
            f.nr:1:34: error: a tensor has no method `size`
            f.nr:1:40: error: a `f32` to the power of a `&Tensor<f32, [2]>`
            f.nr:1:70: error: a slice at a position that is no literal is not supported yet in a `@gpu` function
        "#]],
    );
}
