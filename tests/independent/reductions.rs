//! Folds against loops, around the 4,096 lanes (numerics, §Reductions).

use half::{bf16, f16};

use crate::jit::{assert_same, compile, numbers, tensor};

const LANES: usize = 4096;
const RUNS: [usize; 4] = [4095, 4096, 4097, 10_007];

/// What a run folds by: from one element on, and where it starts among the lanes' answers.
struct Fold<T> {
    seed: Option<T>,
    step: fn(T, T) -> T,
}

impl<T: Copy> Fold<T> {
    fn run(&self, run: &[T]) -> T {
        let fold = |elements: &[T], seed: Option<T>| {
            let (first, rest) = match seed {
                Some(seed) => (seed, elements),
                None => (elements[0], &elements[1..]),
            };
            let mut answer = first;
            for &element in rest {
                answer = (self.step)(answer, element);
            }
            answer
        };
        if run.len() <= LANES {
            return fold(run, self.seed);
        }
        let mut lanes = Vec::new();
        for lane in 0..LANES {
            let elements: Vec<T> = run[lane..].iter().step_by(LANES).copied().collect();
            lanes.push(fold(&elements, None));
        }
        fold(&lanes, self.seed)
    }
}

macro_rules! float_folds {
    ($ty:ident) => {{
        let sum = Fold::<$ty> {
            seed: Some(-0.0),
            step: |sum, x| sum + x,
        };
        let max = Fold::<$ty> {
            seed: None,
            step: |max, x| {
                if !x.is_nan() && (max.is_nan() || x > max) {
                    x
                } else {
                    max
                }
            },
        };
        let min = Fold::<$ty> {
            seed: None,
            step: |min, x| {
                if !x.is_nan() && (min.is_nan() || x < min) {
                    x
                } else {
                    min
                }
            },
        };
        let fold = move |name: &str, run: &[$ty]| match name {
            "sum" => sum.run(run),
            "mean" => sum.run(run) / run.len() as $ty,
            "max" => max.run(run),
            _ => min.run(run),
        };
        fold
    }};
}

/// Three runs of a matrix: its rows, or its columns.
fn runs<T: Copy>(elements: &[T], by_row: bool) -> [Vec<T>; 3] {
    let length = elements.len() / 3;
    [0, 1, 2].map(|run| match by_row {
        true => elements[run * length..(run + 1) * length].to_vec(),
        false => elements[run..].iter().step_by(3).copied().collect(),
    })
}

fn source(scalar: &str, run: usize, names: &[&str]) -> String {
    let functions = names.iter().map(|name| {
        format!(
            "func {name}_whole(a: &Tensor<{scalar}, [{run}]>) -> {scalar} {{ a.{name}() }}
            func {name}_rows(a: &Tensor<{scalar}, [3, {run}]>) -> Tensor<{scalar}, [3]> {{ a.{name}(axis: 1) }}
            func {name}_columns(a: &Tensor<{scalar}, [{run}, 3]>) -> Tensor<{scalar}, [3]> {{ a.{name}(axis: 0) }}\n"
        )
    });
    functions.collect()
}

/// From an element to what it folds in, and back.
type Through<T, W> = (fn(T) -> W, fn(W) -> T);

/// Compares whole runs, rows and columns of each list of elements. A result is `narrow` of the fold
/// of `wide` elements.
fn check<T: tensor::Element, W: Copy>(
    scalar: &str,
    names: &[&str],
    lists: &[&dyn Fn(usize) -> Vec<T>],
    (wide, narrow): Through<T, W>,
    fold: &dyn Fn(&str, &[W]) -> W,
) {
    for run in RUNS {
        let compiled = compile(&source(scalar, run, names));
        for elements in lists {
            let elements = elements(3 * run);
            let all: Vec<W> = elements.iter().map(|&element| wide(element)).collect();
            for name in names {
                let same = |kind: &str, expected: &[T], shape: &[u64]| {
                    let count = shape.iter().product::<u64>() as usize;
                    let operand = tensor(shape, &elements[..count]);
                    let found = compiled.call(&format!("{name}_{kind}"), &[&operand]);
                    assert_same(&format!("{name} of {run} {scalar}"), expected, &found);
                };
                let of = |run: &[W]| narrow(fold(name, run));
                let length = run as u64;
                same("whole", &[of(&all[..run])], &[length]);
                same("rows", &runs(&all, true).map(|run| of(&run)), &[3, length]);
                same(
                    "columns",
                    &runs(&all, false).map(|run| of(&run)),
                    &[length, 3],
                );
            }
        }
    }
}

const ALL: [&str; 4] = ["sum", "mean", "max", "min"];

/// Without what makes every sum a NaN.
fn finite(count: usize) -> impl Iterator<Item = f64> {
    numbers(count, 11).map(|number| if number.is_finite() { number } else { 0.5 })
}

#[test]
fn f32s() {
    let fold = float_folds!(f32);
    let same = (|x: f32| x) as fn(f32) -> f32;
    let narrow = |number: f64| number as f32;
    let any = |count| numbers(count, 12).map(narrow).collect::<Vec<_>>();
    let finite = |count| finite(count).map(narrow).collect::<Vec<_>>();
    // The first of two equal zeros stays, whichever lane it is in.
    let zeros = |count| {
        (0..count)
            .map(|at| if at % 3 == 0 { -0.0 } else { 0.0 })
            .collect::<Vec<f32>>()
    };
    let mostly_nan = |count| {
        (0..count)
            .map(|at| if at % 4001 == 17 { 1.5 } else { f32::NAN })
            .collect::<Vec<f32>>()
    };
    let lists: [&dyn Fn(usize) -> Vec<f32>; 4] = [&finite, &any, &zeros, &mostly_nan];
    check("f32", &ALL, &lists, (same, same), &fold);
}

#[test]
fn f64s() {
    let fold = float_folds!(f64);
    let same = (|x: f64| x) as fn(f64) -> f64;
    let elements = |count| finite(count).collect::<Vec<_>>();
    check("f64", &ALL, &[&elements], (same, same), &fold);
}

#[test]
fn halves() {
    let fold = float_folds!(f32);
    let elements = |count| finite(count).map(f16::from_f64).collect::<Vec<_>>();
    let through: Through<f16, f32> = (f16::to_f32, f16::from_f32);
    check("f16", &ALL, &[&elements], through, &fold);
    let elements = |count| finite(count).map(bf16::from_f64).collect::<Vec<_>>();
    let any = |count| numbers(count, 13).map(bf16::from_f64).collect::<Vec<_>>();
    let through: Through<bf16, f32> = (bf16::to_f32, bf16::from_f32);
    check("bf16", &ALL, &[&elements, &any], through, &fold);
}

#[test]
fn integers() {
    let elements = |count| {
        finite(count)
            .map(|number| (number * 1e9) as i32)
            .collect::<Vec<_>>()
    };
    let same = (|x: i32| x) as fn(i32) -> i32;
    let fold = |name: &str, run: &[i32]| match name {
        "sum" => run.iter().fold(0i32, |sum, &x| sum.wrapping_add(x)),
        "max" => run.iter().copied().max().unwrap(),
        _ => run.iter().copied().min().unwrap(),
    };
    let names = ["sum", "max", "min"];
    check("i32", &names, &[&elements], (same, same), &fold);
}
