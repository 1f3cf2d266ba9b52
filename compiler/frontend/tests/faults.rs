//! What is refused, and where.

mod support;

use expect_test::{Expect, expect};
use support::compile_text;

/// The first line of each fault of each program, which are apart by a blank line.
#[track_caller]
fn refuses(programs: &str, expected: Expect) {
    let mut found = String::new();
    for program in programs.split("\n\n") {
        let (sources, compiled) = compile_text(program, false);
        let faults = compiled.expect_err(program);
        assert!(!faults.is_empty(), "{program}");
        for fault in faults {
            let text = fault.render(&sources);
            found += text.lines().next().unwrap_or_default();
            found.push('\n');
        }
    }
    expected.assert_eq(&found);
}

#[test]
fn a_fault_shows_its_place_and_what_was_expected() {
    let (sources, compiled) = compile_text(
        "func f(a: &Tensor<f32, [2, 3]>, b: &Tensor<f32, [2]>) -> Tensor<f32, [2, 3]> {
    val c: i32 = 1.5
    val d = a + b
    take(a)
    a
}
func take(t: Tensor<f32, [2, 3]>) { }
",
        false,
    );
    let faults = compiled.expect_err("faults");
    let rendered: String = faults.iter().map(|fault| fault.render(&sources)).collect();
    expect![[r#"
        f.nr:2:18: error: expected `i32`, found a number with a fraction
          |
        2 |     val c: i32 = 1.5
          |                  ^^^
        f.nr:3:13: error: `Tensor<f32, [2, 3]>` + `Tensor<f32, [2]>`: shapes do not agree
          |
        3 |     val d = a + b
          |             ^^^^^
          = help: axes align at the last one; an extent of 1 stretches
        f.nr:4:10: error: expected `Tensor<f32, [2, 3]>`, found `&Tensor<f32, [2, 3]>`
          |
        4 |     take(a)
          |          ^ expected `Tensor<f32, [2, 3]>`
          = help: copy it: `.clone()`
    "#]]
    .assert_eq(&rendered);
}

#[test]
fn a_byte_order_mark_is_skipped_and_counted() {
    let mark = '\u{feff}';
    let (_, compiled) = compile_text(&format!("{mark}func f() {{ }}"), false);
    assert!(compiled.is_ok(), "{compiled:?}");
    let (_, compiled) = compile_text(&format!("{mark}func f() {{ x }}"), false);
    let starts: Vec<u32> = compiled
        .expect_err("a fault")
        .iter()
        .map(|f| f.span.start)
        .collect();
    assert_eq!(starts, [3 + 11]);
    let (_, compiled) = compile_text(&format!("func f() {{ }}{mark}"), false);
    assert!(compiled.is_err(), "elsewhere it is no space");
}

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
            f.nr:1:42: error: the letters say what the result is: `"ij,jk->ik"`
            f.nr:1:38: error: expected a function of (f32) that gives a scalar, found `func(i32) -> i32`
            f.nr:1:60: error: `zip` takes two tensors of one shape, not `Tensor<f32, [2]>` and `Tensor<f32, [1]>`
            f.nr:1:61: error: a `&Tensor<f32, [2, 2]>` does not broadcast to the `&mut Tensor<f32, [2]>` of `+=`
            f.nr:1:32: error: this is behind a `&`, and cannot be changed
            f.nr:1:12: error: the type of this tensor is not known
            f.nr:1:12: error: an identity has two axes, `Tensor<f32, [2]>` has not
            f.nr:1:32: error: there is no `Tensor::random`
            f.nr:1:37: error: this is no device
            f.nr:1:34: error: a tensor has no method `size`
            f.nr:1:40: error: a `f32` to the power of a `&Tensor<f32, [2]>`
            f.nr:1:70: error: a slice at a position that is no literal is not supported yet in a `@gpu` function
        "#]],
    );
}

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
