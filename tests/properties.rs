//! Generated programs: the JIT gives the interpreter's bits, and its panics.

#[path = "support/choices.rs"]
mod choices;
#[path = "support/generate.rs"]
mod generate;
#[path = "support/inputs.rs"]
mod inputs;

use driver::engine::{Engine, Jit};
use frontend::Options;
use interpreter::{Failure, Host, HostError, Interpreter, Value};
use neuro_hir::{HirFunction, HirProgram, Tier};
use proptest::collection::vec;
use proptest::num::u32::ANY;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use shared_types::{ScalarType, SourceFile, SourceMap};

use choices::Choices;
use generate::Function;

/// As many programs of each element type and tier.
const PROGRAMS: u32 = 3;
/// As many functions in each; a compile costs more than a function.
const FUNCTIONS: usize = 14;
/// As many numbers decide about a function.
const CHOICES: usize = 80;

fn types() -> impl Iterator<Item = ScalarType> {
    let all = ScalarType::ALL.into_iter();
    all.filter(|scalar| scalar.is_number())
}

#[test]
fn the_jit_agrees_on_the_checked_tier() {
    types().for_each(|scalar| agree(scalar, Tier::Checked));
}

#[test]
fn the_jit_agrees_on_the_wrapping_tier() {
    types().for_each(|scalar| agree(scalar, Tier::Wrapping));
}

fn agree(scalar: ScalarType, tier: Tier) {
    let config = Config {
        cases: PROGRAMS,
        failure_persistence: None,
        max_shrink_iters: 200,
        ..Config::default()
    };
    // The same programs each time; another for each type.
    let mut seed = [0; 32];
    seed[0] = scalar as u8;
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let numbers = vec(vec(ANY, CHOICES), 1..=FUNCTIONS);
    let result = TestRunner::new_with_rng(config, random)
        .run(&numbers, |numbers| compare(scalar, tier, &numbers));
    match result {
        Ok(()) => {}
        // The numbers that it came from say nothing.
        Err(TestError::Fail(reason, _)) => panic!("{scalar} {tier:?}: {reason}"),
        Err(TestError::Abort(reason)) => panic!("{scalar} {tier:?}: {reason}"),
    }
}

/// Compares the functions that each list of numbers decides about.
fn compare(scalar: ScalarType, tier: Tier, numbers: &[Vec<u32>]) -> Result<(), TestCaseError> {
    let functions: Vec<(Function, Choices)> = numbers
        .iter()
        .enumerate()
        .map(|(index, numbers)| {
            let mut choices = Choices::new(numbers);
            let function = generate::function(&format!("f{index}"), scalar, &mut choices);
            (function, choices)
        })
        .collect();
    let source: String = functions.iter().map(|(f, _)| f.source.as_str()).collect();
    let program = compile(&source, tier)?;
    let entries = program.functions().map(|function| function.name.as_str());
    let jit = Jit::compile(&program, entries).map_err(|fault| failed(&source, &fault))?;
    let engine = Engine::Jit(jit);
    for (index, (function, mut choices)) in functions.into_iter().enumerate() {
        let Some(compiled) = program.function(&format!("f{index}")) else {
            return Err(failed(&source, &"a function is gone"));
        };
        let edges = choices.of(&[0, 5, 50, 300]);
        let arguments: Vec<Value> = function
            .parameters
            .iter()
            .map(|parameter| inputs::value(scalar, parameter, edges, &mut choices))
            .collect();
        let expected = call(&program, compiled, arguments.clone(), &Engine::Interpreter);
        let found = call(&program, compiled, arguments.clone(), &engine);
        if let Err(difference) = same(&expected, &found) {
            let source = &function.source;
            let text = format!("{difference}\n{source}arguments: {arguments:#?}");
            return Err(TestCaseError::fail(text));
        }
    }
    Ok(())
}

fn failed(source: &str, error: &dyn std::fmt::Display) -> TestCaseError {
    TestCaseError::fail(format!("{error}\n{source}"))
}

fn compile(source: &str, tier: Tier) -> Result<HirProgram, TestCaseError> {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("generated.nr", source));
    let options = Options {
        tier,
        on_device: false,
    };
    frontend::compile(&sources, file, options).map_err(|faults| {
        let faults: String = faults.iter().map(|fault| fault.render(&sources)).collect();
        failed(source, &faults)
    })
}

struct Silent<'e>(&'e Engine);

impl Host for Silent<'_> {
    fn print(&mut self, _: &str) -> Result<(), HostError> {
        Ok(())
    }

    fn operation<'p>(
        &mut self,
        function: &'p HirFunction,
        arguments: &mut [Value<'p>],
    ) -> Result<Option<Value<'p>>, Failure> {
        self.0.operation(function, arguments)
    }
}

fn call<'p>(
    program: &'p HirProgram,
    function: &'p HirFunction,
    mut arguments: Vec<Value<'p>>,
    engine: &Engine,
) -> Result<Value<'p>, Failure> {
    Interpreter::new(program, &mut Silent(engine)).call(function, &mut arguments)
}

/// The same bits, but for those of a NaN; or the same panic at the same place.
fn same(
    expected: &Result<Value<'_>, Failure>,
    found: &Result<Value<'_>, Failure>,
) -> Result<(), String> {
    let same = match (expected, found) {
        (Ok(Value::Tensor(a)), Ok(Value::Tensor(b))) => a.same_bits(b),
        (Ok(Value::Scalar(a)), Ok(Value::Scalar(b))) => {
            let tensor = |scalar| tensor::Tensor::from_scalar(scalar).unwrap();
            tensor(*a).same_bits(&tensor(*b))
        }
        (Err(Failure::Panic(a)), Err(Failure::Panic(b))) => a == b,
        _ => false,
    };
    match same {
        true => Ok(()),
        false => Err(format!("interpreter: {expected:#?}\njit: {found:#?}")),
    }
}
