//! Programs on the JIT, called with tensors.

use std::cell::Cell;
use std::num::NonZeroUsize;

use driver::Fault;
use driver::engine::{Engine, Jit};
use frontend::Options;
use interpreter::{Failure, Host, HostError, Interpreter, Value};
use neuro_hir::{HirFunction, HirProgram, Tier};
use shared_types::{SourceFile, SourceMap, Span};
use tensor::{Element, Tensor};

pub struct Compiled {
    program: HirProgram,
    engine: Engine,
}

/// Integers wrap.
pub fn compile(source: &str) -> Compiled {
    compile_by(source, |program, names| Jit::compile(program, names))
}

/// The same without schedules and fusion.
pub fn compile_plain(source: &str) -> Compiled {
    compile_by(source, |program, names| Jit::compile_plain(program, names))
}

/// The same, by so many threads.
pub fn compile_shared(source: &str, count: NonZeroUsize) -> Compiled {
    compile_by(source, |program, names| {
        Jit::compile_shared(program, names, count)
    })
}

fn compile_by(
    source: &str,
    jit: impl for<'p> FnOnce(&'p HirProgram, Vec<&'p str>) -> Result<Jit, Fault>,
) -> Compiled {
    let program = program(source, Tier::Wrapping);
    let names = program.functions().map(|function| function.name.as_str());
    let engine = Engine::Jit(jit(&program, names.collect()).unwrap());
    Compiled { program, engine }
}

/// A program that compiles.
pub fn program(source: &str, tier: Tier) -> HirProgram {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("independent.nr", source));
    let options = Options {
        tier,
        on_device: false,
    };
    frontend::compile(&sources, file, options).unwrap_or_else(|faults| {
        let faults = faults.iter().map(|fault| fault.render(&sources));
        panic!("{}", faults.collect::<String>())
    })
}

impl Compiled {
    /// What a function gives: a tensor's elements, or a scalar as one.
    pub fn call<T: Element>(&self, name: &str, arguments: &[&Tensor]) -> Vec<T> {
        let tensor = self.result(name, arguments);
        tensor.as_slice::<T>().unwrap().to_vec()
    }

    /// The same as a tensor, a scalar as one of rank 0.
    pub fn result(&self, name: &str, arguments: &[&Tensor]) -> Tensor {
        let function = self.program.function(name).unwrap();
        let arguments = arguments
            .iter()
            .map(|&tensor| Value::Tensor(tensor.clone()));
        let mut arguments: Vec<Value> = arguments.collect();
        let host = Counting {
            engine: &self.engine,
            operations: Cell::new(0),
        };
        let value = Interpreter::new(&self.program, &host).call(function, &mut arguments);
        assert!(host.operations.get() > 0, "the JIT runs `{name}`");
        match value.unwrap() {
            Value::Tensor(tensor) => tensor,
            Value::Scalar(scalar) => Tensor::from_scalar(scalar).unwrap(),
            other => panic!("{other:?}"),
        }
    }
}

/// Counts the operations that the engine runs.
struct Counting<'e> {
    engine: &'e Engine,
    operations: Cell<usize>,
}

impl Host for Counting<'_> {
    fn print(&self, _: &str) -> Result<(), HostError> {
        Ok(())
    }

    fn operation<'p>(
        &self,
        interpreter: &mut Interpreter<'p, '_>,
        function: &'p HirFunction,
        arguments: &mut [Value<'p>],
        call: Span,
    ) -> Result<Option<Value<'p>>, Failure> {
        self.operations.set(self.operations.get() + 1);
        self.engine
            .operation(interpreter, function, arguments, call, |_| {})
    }
}

pub fn tensor<T: Element>(shape: &[u64], elements: &[T]) -> Tensor {
    Tensor::from_slice(shape, elements).unwrap()
}

/// The same elements by their bits; two NaNs are the same.
pub fn assert_same<T: Element>(what: &str, expected: &[T], found: &[T]) {
    assert_eq!(expected.len(), found.len(), "{what}");
    let shape = [expected.len() as u64];
    if tensor(&shape, expected).same_bits(&tensor(&shape, found)) {
        return;
    }
    for (at, (&expected, &found)) in expected.iter().zip(found).enumerate() {
        let same = tensor(&[], &[expected]).same_bits(&tensor(&[], &[found]));
        assert!(same, "{what}, element {at}: {expected:?} and {found:?}");
    }
}

/// Numbers in [-2, 2), the same each time, with NaN, infinities, zeros and a subnormal among them.
pub fn numbers(count: usize, seed: u64) -> impl Iterator<Item = f64> {
    let specials = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        0.0,
        -0.0,
        1e-310,
    ];
    let mut state = seed;
    (0..count).map(move |_| {
        // Knuth's generator; its high bits are the good ones.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        match state >> 33 & 1023 {
            0 => specials[(state >> 43) as usize % specials.len()],
            _ => (state >> 11) as f64 / (1u64 << 51) as f64 - 2.0,
        }
    })
}
