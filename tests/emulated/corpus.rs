//! Every file test and the example on both devices: in other orders of blocks and threads, with the
//! start of each buffer at an inaccessible page, and how many operations run there.

use std::collections::BTreeMap;
use std::path::Path;

use fuzz::compare::{Call, EngineName, Job, Setting, Verdict, run};
use fuzz::contents::Contents;
use fuzz::share::Share;

use crate::filetest::FileTest;
use crate::{ENGINES, support};

/// The order of numbers, and others: each file has one. `run --engine` has another one.
const ORDERS: [u64; 3] = [0, 5, 9];

#[test]
fn the_file_tests_agree_in_any_order() {
    let folder = support::folder("filetests");
    let mut shares: BTreeMap<String, Share> = BTreeMap::new();
    for (index, name) in support::programs(&folder).into_iter().enumerate() {
        let text = std::fs::read_to_string(folder.join(&name)).unwrap();
        let test = FileTest::parse(&text).unwrap();
        let has = |engine: &EngineName| test.engines.iter().any(|name| name == ours(*engine));
        let engines = [
            EngineName::Interpreter,
            EngineName::EmulatedNvidia,
            EngineName::EmulatedAmd,
        ];
        let engines: Vec<EngineName> = engines.into_iter().filter(has).collect();
        for wrapping in [false, true] {
            let job = Job {
                setting: Setting {
                    wrapping,
                    order: ORDERS[index % ORDERS.len()],
                    guards_start: true,
                },
                engines: engines.clone(),
                calls: calls(&test, wrapping),
            };
            if engines.len() < 2 || job.calls.is_empty() {
                continue;
            }
            let compared = run(&job).unwrap_or_else(|why| panic!("{name}: {why}"));
            for (call, verdict) in job.calls.iter().zip(&compared.verdicts) {
                if let Verdict::Different(why) = verdict {
                    panic!("{name}, `{}`: {why}", call.name);
                }
            }
            add(&mut shares, compared.shares);
        }
    }
    add(&mut shares, digits());
    for engine in ENGINES {
        println!("{engine}: {}", shares[engine]);
    }
    assert!(!shares.values().any(Share::is_low));
}

fn ours(engine: EngineName) -> &'static str {
    match engine {
        EngineName::Interpreter => "interpreter",
        EngineName::Jit | EngineName::Plain | EngineName::JitThreads => "jit",
        EngineName::EmulatedNvidia => ENGINES[0],
        EngineName::EmulatedAmd => ENGINES[1],
    }
}

fn add(shares: &mut BTreeMap<String, Share>, more: BTreeMap<String, Share>) {
    for (engine, share) in more {
        shares.entry(engine).or_default().merge(&share);
    }
}

/// The commands of a file test, but for those that do not compile.
fn calls(test: &FileTest, wrapping: bool) -> Vec<Call> {
    let mut source = test.source();
    let is_of_tier = |words: &[String]| words.iter().any(|word| word == "wrapping") == wrapping;
    let runs = test.runs.iter();
    runs.filter(|run| run.status != 2 && is_of_tier(&run.words))
        .map(|run| {
            let after = |flag| {
                let pairs = run.words.windows(2);
                pairs
                    .filter(move |pair| pair[0] == flag)
                    .map(|pair| &pair[1])
            };
            let name = after("--entry").next();
            Call {
                name: name.map_or("main", |name| name).to_string(),
                source: std::mem::take(&mut source),
                contents: after("--arg").map(|argument| contents(argument)).collect(),
            }
        })
        .collect()
}

/// What an argument holds: an integer, or the elements of one seed.
fn contents(argument: &str) -> Contents {
    let value = argument
        .split_once('=')
        .and_then(|(_, value)| value.parse::<i64>().ok());
    value.map_or(Contents::Random, |value| {
        Contents::Listed(vec![value as u64])
    })
}

/// The example prints what is expected on each device.
fn digits() -> BTreeMap<String, Share> {
    let folder = support::folder("../examples/digits");
    let read = |name| std::fs::read_to_string(folder.join(name)).unwrap();
    let shares = ENGINES.map(|engine| {
        let (output, errors) = run_example(&folder, &read("args"), engine);
        assert_eq!(output, read("expected.txt"), "{engine}");
        let places = errors.lines().map(|line| {
            let line = line.strip_prefix("trace: ");
            let parts = line.and_then(|line| line.split_once(&format!(" {engine} ")));
            parts.expect("a line of the trace")
        });
        let places: BTreeMap<&str, &str> = places.collect();
        let mut share = Share::default();
        places.values().for_each(|place| share.add(place));
        (engine.to_string(), share)
    });
    BTreeMap::from(shares)
}

fn run_example(folder: &Path, arguments: &str, engine: &str) -> (String, String) {
    let mut command = support::neuro_mlir();
    command.current_dir(folder).args(["run", "digits.nr"]);
    command.args(arguments.split_whitespace());
    let output = command.args(["--engine", engine, "--trace"]).output();
    let output = output.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (printed, errors) = (text(output.stdout), text(output.stderr));
    assert!(output.status.success(), "{engine}: {errors}");
    (printed, errors)
}
