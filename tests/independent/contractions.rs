//! `@` and `einsum` against loops (numerics, §Matrix product `@` and `einsum`).

use std::num::NonZeroUsize;

use half::bf16;
use shared_types::ScalarType;

use crate::jit::{assert_same, compile, compile_plain, compile_shared, numbers, tensor};

fn f32s(count: usize, seed: u64) -> Vec<f32> {
    numbers(count, seed).map(|number| number as f32).collect()
}

#[test]
fn products() {
    for (m, k, n) in [(1, 1, 1), (7, 31, 5), (64, 257, 3), (3, 0, 2), (33, 64, 65)] {
        let source = format!(
            "func f32s(a: &Tensor<f32, [{m}, {k}]>, b: &Tensor<f32, [{k}, {n}]>) -> Tensor<f32, [{m}, {n}]> {{ a @ b }}
            func f64s(a: &Tensor<f64, [{m}, {k}]>, b: &Tensor<f64, [{k}, {n}]>) -> Tensor<f64, [{m}, {n}]> {{ a @ b }}
            func bf16s(a: &Tensor<bf16, [{m}, {k}]>, b: &Tensor<bf16, [{k}, {n}]>) -> Tensor<bf16, [{m}, {n}]> {{ a @ b }}
            func i16s(a: &Tensor<i16, [{m}, {k}]>, b: &Tensor<i16, [{k}, {n}]>) -> Tensor<i16, [{m}, {n}]> {{ a @ b }}"
        );
        let compiled = compile(&source);
        let (left, right) = ([m as u64, k as u64], [k as u64, n as u64]);
        let cells = || (0..m).flat_map(|row| (0..n).map(move |column| (row, column)));

        let (a, b) = (f32s(m * k, 1), f32s(k * n, 2));
        let expected = cells().map(|(row, column)| {
            let mut sum = 0f32;
            for at in 0..k {
                let product = a[row * k + at] * b[at * n + column];
                sum += product;
            }
            sum
        });
        let found = compiled.call("f32s", &[&tensor(&left, &a), &tensor(&right, &b)]);
        assert_same("f32s", &expected.collect::<Vec<f32>>(), &found);

        let (a, b): (Vec<f64>, Vec<f64>) =
            (numbers(m * k, 3).collect(), numbers(k * n, 4).collect());
        let expected = cells().map(|(row, column)| {
            let mut sum = 0f64;
            for at in 0..k {
                let product = a[row * k + at] * b[at * n + column];
                sum += product;
            }
            sum
        });
        let found = compiled.call("f64s", &[&tensor(&left, &a), &tensor(&right, &b)]);
        assert_same("f64s", &expected.collect::<Vec<f64>>(), &found);

        let bf16s =
            |numbers: Vec<f32>| -> Vec<bf16> { numbers.into_iter().map(bf16::from_f32).collect() };
        let (a, b) = (bf16s(f32s(m * k, 5)), bf16s(f32s(k * n, 6)));
        let expected = cells().map(|(row, column)| {
            let mut sum = 0f32;
            for at in 0..k {
                let product = a[row * k + at].to_f32() * b[at * n + column].to_f32();
                sum += product;
            }
            bf16::from_f32(sum)
        });
        let found = compiled.call("bf16s", &[&tensor(&left, &a), &tensor(&right, &b)]);
        assert_same("bf16s", &expected.collect::<Vec<bf16>>(), &found);

        let i16s = |count, seed| -> Vec<i16> {
            numbers(count, seed)
                .map(|number| (number * 9000.0) as i16)
                .collect()
        };
        let (a, b) = (i16s(m * k, 7), i16s(k * n, 8));
        let expected = cells().map(|(row, column)| {
            let mut sum = 0i16;
            for at in 0..k {
                let product = a[row * k + at].wrapping_mul(b[at * n + column]);
                sum = sum.wrapping_add(product);
            }
            sum
        });
        let found = compiled.call("i16s", &[&tensor(&left, &a), &tensor(&right, &b)]);
        assert_same("i16s", &expected.collect::<Vec<i16>>(), &found);
    }
}

#[test]
fn a_diagonal() {
    let compiled =
        compile(r#"func f(a: &Tensor<f32, [31, 31]>) -> Tensor<f32, [31]> { einsum("ii->i", a) }"#);
    let a = f32s(31 * 31, 1);
    let expected: Vec<f32> = (0..31).map(|i| 0.0 + a[i * 31 + i]).collect();
    assert_same(
        "ii->i",
        &expected,
        &compiled.call("f", &[&tensor(&[31, 31], &a)]),
    );
}

#[test]
fn a_trace() {
    let compiled = compile(r#"func f(a: &Tensor<f32, [64, 64]>) -> f32 { einsum("ii->", a) }"#);
    let a = f32s(64 * 64, 2);
    let mut sum = 0f32;
    for i in 0..64 {
        sum += a[i * 64 + i];
    }
    assert_same(
        "ii->",
        &[sum],
        &compiled.call("f", &[&tensor(&[64, 64], &a)]),
    );
}

#[test]
fn a_full_contraction() {
    let compiled = compile(
        r#"func f(a: &Tensor<f32, [7, 31]>, b: &Tensor<f32, [31, 7]>) -> f32 { einsum("ij,ji->", a, b) }"#,
    );
    let (a, b) = (f32s(7 * 31, 3), f32s(7 * 31, 4));
    let mut sum = 0f32;
    for i in 0..7 {
        for j in 0..31 {
            let product = a[i * 31 + j] * b[j * 7 + i];
            sum += product;
        }
    }
    let found = compiled.call("f", &[&tensor(&[7, 31], &a), &tensor(&[31, 7], &b)]);
    assert_same("ij,ji->", &[sum], &found);
}

#[test]
fn an_outer_product_has_no_contracted_letter() {
    let compiled = compile(
        r#"func f(a: &Tensor<f32, [7]>, b: &Tensor<f32, [5]>) -> Tensor<f32, [5, 7]> { einsum("i,j->ji", a, b) }"#,
    );
    let (a, b) = (f32s(7, 5), f32s(5, 6));
    let mut expected = Vec::new();
    for y in &b {
        for x in &a {
            let product = x * y;
            expected.push(0.0 + product);
        }
    }
    let found = compiled.call("f", &[&tensor(&[7], &a), &tensor(&[5], &b)]);
    assert_same("i,j->ji", &expected, &found);
}

/// The contracted letters nest as they first appear: `k` outside of `j`.
#[test]
fn a_batch_of_three_operands() {
    let compiled = compile(
        r#"func f(a: &Tensor<f32, [2, 5, 3]>, b: &Tensor<f32, [2, 3, 4]>, c: &Tensor<f32, [5]>) -> Tensor<f32, [4, 2]> {
            einsum("bkj,bjl,k->lb", a, b, c)
        }"#,
    );
    let (a, b, c) = (f32s(30, 7), f32s(24, 8), f32s(5, 9));
    let mut expected = Vec::new();
    for l in 0..4 {
        for batch in 0..2 {
            let mut sum = 0f32;
            for k in 0..5 {
                for j in 0..3 {
                    let first = a[batch * 15 + k * 3 + j] * b[batch * 12 + j * 4 + l];
                    let product = first * c[k];
                    sum += product;
                }
            }
            expected.push(sum);
        }
    }
    let found = compiled.call(
        "f",
        &[
            &tensor(&[2, 5, 3], &a),
            &tensor(&[2, 3, 4], &b),
            &tensor(&[5], &c),
        ],
    );
    assert_same("bkj,bjl,k->lb", &expected, &found);
}

/// Shapes that the schedule takes in each of its ways: in registers whole, cut at the block's
/// edge, one row, one column, and packed, with panels that divide and that do not.
#[test]
fn products_in_every_schedule() {
    for (m, k, n) in [
        (1, 1, 1),
        (2, 2, 2),
        (8, 8, 16),
        (17, 5, 19),
        (64, 64, 64),
        (100, 300, 57),
        (3, 5, 300),
        (1, 300, 513),
        (200, 700, 1),
        (200, 1, 200),
        (40, 769, 117),
        (33, 1030, 130),
        (260, 520, 48),
    ] {
        let source = format!(
            "func f(a: &Tensor<f32, [{m}, {k}]>, b: &Tensor<f32, [{k}, {n}]>) -> Tensor<f32, [{m}, {n}]> {{ a @ b }}"
        );
        let (a, b) = (f32s(m * k, 1), f32s(k * n, 2));
        let mut expected = vec![0f32; m * n];
        for (row, sums) in expected.chunks_mut(n).enumerate() {
            for at in 0..k {
                let factor = a[row * k + at];
                for (sum, other) in sums.iter_mut().zip(&b[at * n..]) {
                    let product = factor * other;
                    *sum += product;
                }
            }
        }
        let (left, right) = ([m as u64, k as u64], [k as u64, n as u64]);
        let found = compile(&source).call("f", &[&tensor(&left, &a), &tensor(&right, &b)]);
        assert_same(&format!("{m}x{k}x{n}"), &expected, &found);
    }
}

/// Packed panels of every axis: one, several whole, and the last cut off, all with all.
#[test]
fn products_in_panels_whole_and_cut() {
    for m in [40, 128, 150] {
        for k in [131, 512, 601] {
            for n in [130, 1024, 1100] {
                let source = format!(
                    "func f(a: &Tensor<f64, [{m}, {k}]>, b: &Tensor<f64, [{k}, {n}]>) -> Tensor<f64, [{m}, {n}]> {{ a @ b }}"
                );
                let random = |name: &str, shape: [u64; 2]| {
                    tensor::random(1, name, "f64".parse().unwrap(), &shape).unwrap()
                };
                let (a, b) = (random("a", [m, k]), random("b", [k, n]));
                let found = compile(&source).result("f", &[&a, &b]);
                let expected = compile_plain(&source).result("f", &[&a, &b]);
                assert!(found.same_bits(&expected), "{m}x{k}x{n}");
            }
        }
    }
}

/// Letters in every order that is a batch of products, and in some that are not, beside the loops
/// that each operation is without a schedule.
#[test]
fn letters_in_every_schedule() {
    let extents = |letters: &str| -> Vec<u64> {
        let extent = |letter| match letter {
            'a' => 2,
            'b' => 3,
            'i' => 37,
            'j' => 41,
            'k' => 53,
            _ => 300,
        };
        letters.chars().map(extent).collect()
    };
    for (element, letters) in [
        ("f32", "ij,kj->ik"),
        ("f32", "ji,jk->ik"),
        ("f64", "ij,jk->ki"),
        ("f32", "bij,bjk->bik"),
        ("f64", "bij,bkj->bik"),
        ("f32", "abij,abjk->abik"),
        ("f32", "bil,lk->bik"),
        ("f32", "bil,bkl->bik"),
        ("i32", "bml,bln->bmn"),
        ("f32", "ijb,bjk->ibk"),
        ("f32", "iab,abk->ik"),
        ("f16", "ml,ln->mn"),
        ("f32", "ml,nl->mn"),
        ("f32", "lm,ln->mn"),
        ("f64", "lm,nl->mn"),
        ("i32", "blm,bnl->bmn"),
        ("bf16", "ij,kj->ik"),
        ("u8", "ij,jk->ik"),
        ("i64", "ij,j->i"),
        ("f32", "j,ij->i"),
        ("f32", "ml,l->m"),
        ("f64", "bml,bl->bm"),
        ("bf16", "ml,l->m"),
        ("i32", "bml,l->bm"),
        ("f32", "ij,ij->i"),
        ("f32", "ij,ij->j"),
        ("f32", "ij,ij->"),
    ] {
        let (inputs, output) = letters.split_once("->").unwrap();
        let (left, right) = inputs.split_once(',').unwrap();
        let result = match output {
            "" => element.to_string(),
            _ => format!("Tensor<{element}, {:?}>", extents(output)),
        };
        let source = format!(
            "func f(a: &Tensor<{element}, {:?}>, b: &Tensor<{element}, {:?}>) -> {result} {{ einsum(\"{letters}\", a, b) }}",
            extents(left),
            extents(right)
        );
        let scalar = element.parse().unwrap();
        let random = |name: &str, letters| tensor::random(1, name, scalar, &extents(letters));
        let (a, b) = (random("a", left).unwrap(), random("b", right).unwrap());
        let expected = compile_plain(&source).result("f", &[&a, &b]);
        let threads = NonZeroUsize::new(3).unwrap();
        for other in [compile(&source), compile_shared(&source, threads)] {
            let found = other.result("f", &[&a, &b]);
            assert!(found.same_bits(&expected), "{element} {letters}");
        }
    }
}

/// The schedule removes a branch of its own copies, and no other's: a search for the first few has
/// branches too.
#[test]
fn a_packed_product_beside_a_sort() {
    let source =
        "func f(a: &Tensor<f32, [17, 300]>, b: &Tensor<f32, [300, 257]>) -> Tensor<f32, [17, 3]> {
            val (top, at) = (a @ b).topk(k: 3)
            top * 1.0f32
        }";
    let random = |name, shape: &[u64]| tensor::random(1, name, ScalarType::F32, shape).unwrap();
    let (a, b) = (random("a", &[17, 300]), random("b", &[300, 257]));
    let found = compile(source).result("f", &[&a, &b]);
    let expected = compile_plain(source).result("f", &[&a, &b]);
    assert!(found.same_bits(&expected));
}
