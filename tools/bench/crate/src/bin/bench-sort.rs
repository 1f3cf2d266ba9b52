//! Sorts on one thread: `.sort()` beside Rust's stable sort, `.argsort()` and `.topk()` beside NumPy's stable argsort.
//! The elements lie in order, against it, at random, or are few; runs are one long one, or many.

use std::error::Error;
use std::time::Duration;

use bench::{Arguments, NumPy, Operation, Row, Table, alternate, timed};
use clap::Parser;
use neuro_hir::Tier::Checked;
use shared_types::ScalarType::{self, F32, F64, I16, I32, I64, U8};
use tensor::{Element, Tensor, TensorError};

const ROUNDS: usize = 9;
const MILLION: &[u64] = &[1_000_000];

#[derive(Clone, Copy)]
enum Pattern {
    Random,
    Sorted,
    Reversed,
    /// The whole numbers below 16.
    Small,
    /// Sixteen values.
    Few,
    Equal,
    /// A sixteenth each of NaNs, of `0.0` and of `-0.0`.
    Special,
}

use Pattern::{Equal, Few, Random, Reversed, Small, Sorted, Special};

const PATTERNS: [Pattern; 7] = [Random, Sorted, Reversed, Small, Few, Equal, Special];

#[derive(Clone, Copy)]
enum What {
    /// Along an axis.
    Sort(usize),
    ArgSort(usize),
    /// The first of each row.
    Top(u64),
}

use What::{ArgSort, Sort, Top};

struct Case {
    scalar: ScalarType,
    shape: &'static [u64],
    pattern: Pattern,
    what: What,
}

fn cases() -> Vec<Case> {
    let case = |scalar, shape, pattern, what| Case {
        scalar,
        shape,
        pattern,
        what,
    };
    let mut cases = Vec::new();
    for what in [Sort(0), ArgSort(0)] {
        for scalar in [I32, F32] {
            let patterns = PATTERNS.into_iter();
            let patterns = patterns.filter(|pattern| !matches!(pattern, Special) || scalar == F32);
            cases.extend(patterns.map(|pattern| case(scalar, MILLION, pattern, what)));
        }
        let others = [U8, I16, I64, F64].into_iter();
        cases.extend(others.map(|scalar| case(scalar, MILLION, Random, what)));
        for (shape, axis) in [
            (&[100_000, 8][..], 1),
            (&[8, 100_000], 0),
            (&[10_000, 64], 1),
            (&[4_000, 255], 1),
            (&[4_000, 256], 1),
            (&[64, 1000], 1),
            (&[1000, 1000], 0),
        ] {
            let what = match what {
                Sort(_) => Sort(axis),
                _ => ArgSort(axis),
            };
            cases.push(case(F32, shape, Random, what));
        }
    }
    cases.push(case(F32, MILLION, Random, Top(10)));
    cases.push(case(F32, MILLION, Sorted, Top(10)));
    cases.push(case(F32, &[64, 1000], Random, Top(5)));
    cases.push(case(F32, &[64, 1000], Random, Top(100)));
    cases
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let mut numpy = NumPy::start()?;
    let mut table = Table::default();
    for case in cases() {
        if case.name().contains(&arguments.filter) {
            table.add(case.measure(&mut numpy)?);
        }
    }
    table.finish(&arguments)
}

impl Case {
    fn name(&self) -> String {
        let pattern = match self.pattern {
            Random => "random",
            Sorted => "sorted",
            Reversed => "reversed",
            Small => "0 to 15",
            Few => "16 values",
            Equal => "all equal",
            Special => "NaN and zeros",
        };
        let call = match self.what {
            Sort(axis) if axis + 1 < self.shape.len() => format!(".sort(axis: {axis})"),
            ArgSort(axis) if axis + 1 < self.shape.len() => format!(".argsort(axis: {axis})"),
            Sort(_) => ".sort()".into(),
            ArgSort(_) => ".argsort()".into(),
            Top(k) => format!(".topk(k: {k})"),
        };
        format!("{} {:?} {pattern} {call}", self.scalar, self.shape)
    }

    /// The function that is compiled.
    fn source(&self) -> String {
        let ty = |scalar| format!("Tensor<{scalar}, {:?}>", self.shape);
        let (result, call) = match self.what {
            Sort(axis) => (ty(self.scalar), format!("sort(axis: {axis})")),
            ArgSort(axis) => (ty(I32), format!("argsort(axis: {axis})")),
            Top(k) => {
                let mut first = self.shape.to_vec();
                if let Some(last) = first.last_mut() {
                    *last = k;
                }
                let scalar = self.scalar;
                (
                    format!("(Tensor<{scalar}, {first:?}>, Tensor<i32, {first:?}>)"),
                    format!("topk(k: {k})"),
                )
            }
        };
        format!("func f(a: &{}) -> {result} {{ a.{call} }}", ty(self.scalar))
    }

    fn measure(&self, numpy: &mut NumPy) -> Result<Row, Box<dyn Error>> {
        match self.scalar {
            U8 => self.measure_of::<u8>(numpy),
            I16 => self.measure_of::<i16>(numpy),
            I32 => self.measure_of::<i32>(numpy),
            I64 => self.measure_of::<i64>(numpy),
            F32 => self.measure_of::<f32>(numpy),
            F64 => self.measure_of::<f64>(numpy),
            other => Err(format!("no case of {other}").into()),
        }
    }

    fn measure_of<T: Number>(&self, numpy: &mut NumPy) -> Result<Row, Box<dyn Error>> {
        let mut ours = Operation::compile(&self.source(), Checked)?;
        ours.map_operands(|operand| self.pattern.apply::<T>(operand))?;
        let (name, operand) = ours.operands().next().ok_or("there is no operand")?;
        let axis = match self.what {
            Sort(axis) | ArgSort(axis) => axis,
            Top(_) => self.shape.len() - 1,
        };
        if let Sort(_) = self.what {
            let mut peer = RustSort::<T>::new(operand, axis)?;
            let best = alternate(ROUNDS, || ours.run(1), || Ok(peer.run()))?;
            if !ours.results()[0].same_bits(&Tensor::from_slice(self.shape, &peer.result)?) {
                return Err(format!("{}: the peer's answer is another", self.name()).into());
            }
            return Ok(Row::time(self.name(), best.0, ("Rust stable sort", best.1)));
        }
        numpy.bind(name, operand)?;
        let code = format!("r = np.argsort({name}, axis={axis}, kind='stable')");
        let best = alternate(ROUNDS, || ours.run(1), || numpy.run(&code))?;
        Ok(Row::time(self.name(), best.0, (numpy.name(), best.1)))
    }
}

/// Rust's stable sort of each run along an axis, into a result that was there before.
struct RustSort<T> {
    source: Vec<T>,
    result: Vec<T>,
    run: Vec<T>,
    /// The distance between the elements of a run.
    stride: usize,
}

impl<T: Number> RustSort<T> {
    fn new(operand: &Tensor, axis: usize) -> Result<Self, TensorError> {
        let source = operand.as_slice::<T>()?.to_vec();
        let shape = operand.shape();
        Ok(RustSort {
            result: source.clone(),
            run: source[..shape[axis] as usize].to_vec(),
            stride: shape[axis + 1..].iter().product::<u64>() as usize,
            source,
        })
    }

    fn run(&mut self) -> Duration {
        let RustSort {
            source,
            result,
            run,
            stride,
        } = self;
        let extent = run.len();
        let (time, ()) = timed(|| {
            if *stride == 1 {
                result.copy_from_slice(source);
                result.chunks_exact_mut(extent).for_each(T::stable_sort);
                return;
            }
            for start in (0..source.len()).step_by(extent * *stride) {
                for start in start..start + *stride {
                    let places = (0..extent).map(|position| start + position * *stride);
                    for (element, place) in run.iter_mut().zip(places.clone()) {
                        *element = source[place];
                    }
                    T::stable_sort(run);
                    for (element, place) in run.iter().zip(places) {
                        result[place] = *element;
                    }
                }
            }
        });
        time
    }
}

impl Pattern {
    fn apply<T: Number>(self, tensor: &mut Tensor) -> Result<(), TensorError> {
        let elements = tensor.as_mut_slice::<T>()?;
        match self {
            Random => {}
            Sorted => T::stable_sort(elements),
            Reversed => {
                T::stable_sort(elements);
                elements.reverse();
            }
            Small | Few | Equal | Special => {
                let values: Vec<T> = match self {
                    Small => T::SMALL.to_vec(),
                    Few => elements[..16].to_vec(),
                    Equal => elements[..1].to_vec(),
                    _ => T::SPECIAL.to_vec(),
                };
                // The random ones say which; most stay where there are special ones.
                for element in elements {
                    let number = element.low_bits();
                    match self {
                        Special if number >= values.len() => {}
                        _ => *element = values[number % values.len()],
                    }
                }
            }
        }
        Ok(())
    }
}

trait Number: Element {
    const SMALL: [Self; 16];
    const SPECIAL: &[Self];

    fn stable_sort(elements: &mut [Self]);

    /// Four bits that tell nothing of its place in order.
    fn low_bits(self) -> usize;
}

macro_rules! integers {
    ($($ty:ty)*) => {$(
        impl Number for $ty {
            const SMALL: [Self; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
            const SPECIAL: &[Self] = &[];

            fn stable_sort(elements: &mut [Self]) {
                elements.sort();
            }

            fn low_bits(self) -> usize {
                (self & 15) as usize
            }
        }
    )*};
}

macro_rules! floats {
    ($($ty:ty)*) => {$(
        impl Number for $ty {
            const SMALL: [Self; 16] = [
                0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0,
            ];
            const SPECIAL: &[Self] = &[<$ty>::NAN, 0.0, -0.0];

            fn stable_sort(elements: &mut [Self]) {
                let nan_last = |a: &$ty, b: &$ty| match a.partial_cmp(b) {
                    Some(order) => order,
                    None => a.is_nan().cmp(&b.is_nan()),
                };
                elements.sort_by(nan_last);
            }

            fn low_bits(self) -> usize {
                (self.to_bits() & 15) as usize
            }
        }
    )*};
}

integers! { u8 i16 i32 i64 }
floats! { f32 f64 }
