//! What fails is found, made simple and written down.

use std::cell::Cell;
use std::process::Command;
use std::time::Duration;

use fuzz::campaign::{self, Failure, Plan};
use fuzz::compare::{Call, EngineName, Job, Setting, Verdict, run};
use fuzz::contents::Contents;
use fuzz::generate::Domain;
use fuzz::program::Function;
use fuzz::shrink::simplest;
use fuzz::worker::Worker;
use fuzz::{filetest, generate};

/// A shell that answers each job as a worker does, and ends by a signal where it has a `sqrt`.
fn dies_of_sqrt() -> Command {
    let script = r#"while read -r job; do
        case $job in *sqrt*) kill -SEGV $$ ;; esac
        calls=$(grep -o '"source"' <<< "$job" | wc -l)
        one='{"Same":{"panicked":false,"needs_gpu":false}}'
        printf '{"Ok":{"verdicts":[%s' "$one"
        for ((i = 1; i < calls; i++)); do printf ',%s' "$one"; done
        echo '],"shares":{}}}'
    done"#;
    let mut command = Command::new("bash");
    command.args(["-c", script]);
    command
}

fn plan(programs: u64) -> Plan {
    Plan {
        seed: 3,
        programs: Some(programs),
        time: None,
        engines: EngineName::HOST.to_vec(),
        processes: 2,
    }
}

fn has_sqrt(function: &Function) -> bool {
    let mut nodes = function.nodes.iter();
    nodes.any(|node| node.operation.name() == "sqrt")
}

#[test]
fn a_crash_is_the_fault_of_its_program() {
    let report = campaign::run(&plan(400), dies_of_sqrt, |_, _| {}).unwrap();
    let failure = report.failure.expect("some program has a `sqrt`");
    let first = (0..).find(|&number| has_sqrt(&generate::function(Domain::Host, 3, number)));
    assert_eq!(Some(failure.number), first);
    assert!(
        failure.why.starts_with("the process ended: signal: 11"),
        "{}",
        failure.why
    );

    let mut worker = Worker::new(dies_of_sqrt);
    let simplest = fuzz::shrink::shrink(&failure, &EngineName::HOST, &mut worker).unwrap();
    assert_eq!(simplest.function.nodes.len(), 1);
    assert!(has_sqrt(&simplest.function));
}

#[test]
fn an_end_of_time_is_one() {
    let plan = Plan {
        programs: None,
        time: Some(Duration::ZERO),
        ..plan(0)
    };
    let report = campaign::run(&plan, dies_of_sqrt, |_, _| {}).unwrap();
    assert_eq!((report.programs, report.failure.is_none()), (0, true));
}

/// What is left of any program that holds an operation is that operation on small tensors.
#[test]
fn what_fails_gets_simple() {
    for (domain, name) in [
        (Domain::Host, "@"),
        (Domain::Host, "einsum of 2"),
        (Domain::Host, "slice, reversed"),
        (Domain::Host, "topk"),
        (Domain::Host, "+="),
        (Domain::Host, "reshape"),
        (Domain::Host, "sum axis"),
        (Domain::Device, "kernel"),
        (Domain::Device, "kernel, &mut"),
    ] {
        let has = |function: &Function| {
            let mut nodes = function.nodes.iter();
            nodes.any(|node| node.operation.name() == name)
        };
        let function = (0..)
            .map(|number| generate::function(domain, 5, number))
            .find(has)
            .unwrap();
        let tried = Cell::new(0);
        let simple = simplest(function, &mut |function| {
            tried.set(tried.get() + 1);
            // Whatever is tried can be printed.
            assert!(!function.print("f").is_empty());
            Ok(has(function))
        });
        let simple = simple.unwrap();
        let text = simple.print("f");
        assert_eq!(simple.nodes.len(), 1, "{name}: {text}");
        let extents = simple
            .parameters
            .iter()
            .flat_map(|parameter| parameter.ty.extents());
        assert!(
            extents.into_iter().all(|&extent| extent <= 3),
            "{name}: {text}"
        );
        let contents = simple
            .parameters
            .iter()
            .map(|parameter| &parameter.contents);
        assert!(
            contents
                .into_iter()
                .all(|contents| *contents == Contents::Zeros),
            "{name}: {simple:?}"
        );
        assert!(tried.get() < 1500, "{name}: {}", tried.get());
    }
}

/// The first result is what the interpreter gives, so a file test of what it gives passes there.
#[test]
fn file_tests_run() {
    for number in 0..60 {
        let failure = Failure {
            number,
            function: generate::function(Domain::Host, 9, number),
            setting: Setting::of_turn(number),
            why: "nothing".into(),
        };
        let text = filetest::text(&failure, 9);
        assert!(
            text.contains("\n// out: Tensor<")
                || text.contains("\n// out: ")
                || text.contains(" // error: panic: "),
            "{text}"
        );
        let is_main = text.contains("func main()");
        assert_eq!(text.contains("--entry f"), !is_main, "{text}");
    }
}

#[test]
fn engines_that_agree_are_the_same_and_others_are_not() {
    let job = |body: &str, contents| Job {
        setting: Setting::of_turn(0),
        engines: vec![EngineName::Interpreter, EngineName::Jit],
        calls: vec![Call {
            name: "f".into(),
            source: format!("func f(a: &Tensor<i8, [2]>) -> Tensor<i8, [2]> {{ {body} }}\n"),
            contents: vec![contents],
        }],
    };
    let verdicts = |job| run(&job).unwrap().verdicts;
    let same = |panicked| {
        [Verdict::Same {
            panicked,
            needs_gpu: false,
        }]
    };
    assert_eq!(verdicts(job("a + a", Contents::Ones)), same(false));
    let overflows = job("a + a", Contents::Listed(vec![100, 100]));
    assert_eq!(verdicts(overflows), same(true));
    let refused = run(&job("a @ a", Contents::Ones)).unwrap_err();
    assert!(refused.starts_with("f.nr:1:50: error: "), "{refused}");
}
