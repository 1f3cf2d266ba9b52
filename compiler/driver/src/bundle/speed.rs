use frontend::Options;
use neuro_hir::Tier;
use serde_json::{Value, json};
use shared_types::SourceMap;

use super::case::Case;
use super::store::Store;
use crate::{Fault, source};

/// What is timed: a function of the speed set.
struct Timed {
    function: String,
    source: String,
    /// Extents of its operands, `a` and `b`.
    extents: Vec<Vec<u64>>,
    /// Bytes that any such program reads and writes.
    bytes: u64,
    /// Additions and multiplications.
    operations: u64,
    /// The same for PyTorch.
    torch: &'static str,
}

/// `small` is what an emulated device runs in a moment.
fn set(small: bool) -> Vec<Timed> {
    let (elements, products) = match small {
        true => (1 << 13, [16, 32, 48]),
        false => (1 << 24, [1024, 2048, 4096]),
    };
    let vector = |function: &str, operands: u64, results: u64, operations, body: &str, torch| {
        let operand = |name| format!("{name}: &Tensor<f32, [{elements}]>");
        let operands_text: Vec<String> = ["a", "b"][..operands as usize]
            .iter()
            .map(operand)
            .collect();
        let result = match results {
            1 => "f32".to_string(),
            _ => format!("Tensor<f32, [{elements}]>"),
        };
        let operands_text = operands_text.join(", ");
        Timed {
            source: format!("func {function}({operands_text}) -> {result} {{ {body} }}\n"),
            function: function.to_string(),
            extents: vec![vec![elements]; operands as usize],
            bytes: 4 * (operands * elements + results),
            operations,
            torch,
        }
    };
    let n = elements;
    let mut set = vec![
        vector("copy", 1, n, 0, &format!("a[0..{n}]"), "a.clone()"),
        vector(
            "chain",
            2,
            n,
            4 * n,
            "(a * b + a) * b - a",
            "(a * b + a) * b - a",
        ),
        vector("sum", 1, 1, n, "a.sum()", "a.sum()"),
        vector("sort", 1, n, 0, "a.sort()", "a.sort().values"),
    ];
    for n in products {
        let matrix = format!("Tensor<f32, [{n}, {n}]>");
        set.push(Timed {
            function: format!("product_{n}"),
            source: format!(
                "func product_{n}(a: &{matrix}, b: &{matrix}) -> {matrix} {{ a @ b }}\n"
            ),
            extents: vec![vec![n, n]; 2],
            bytes: 4 * 3 * n * n,
            operations: 2 * n * n * n,
            torch: "a @ b",
        });
    }
    set
}

/// The cases of the speed set. Their program is a file of the bundle.
pub fn cases(small: bool, sources: &mut SourceMap, store: &Store) -> Result<Vec<Value>, Fault> {
    const FILE: &str = "speed.nr";
    const SEED: u64 = 1;
    let set = set(small);
    let text: String = set.iter().map(|timed| timed.source.as_str()).collect();
    store.write(FILE, text.as_bytes())?;
    let front_end = Options {
        tier: Tier::Checked,
        on_device: true,
    };
    let program = source::compile_with(&store.path(FILE), front_end, sources)?;
    let mut cases = Vec::new();
    for timed in set {
        let missing = || Fault::internal(None, format!("no case `{}`", timed.function));
        let case = Case {
            name: format!("speed.{}", timed.function),
            function: program.function(&timed.function).ok_or_else(missing)?,
            program: &program,
            seed: SEED,
            sources,
        };
        let mut inputs = Vec::new();
        for (name, extents) in ["a", "b"].iter().zip(&timed.extents) {
            let key = tensor::random_key(SEED, name);
            let hash = store.generated(case.argument(name)?.bytes(), key);
            inputs.push(json!({ "name": name, "extents": extents, "hash": hash }));
        }
        let mut recorded = case.answered(store)?.ok_or_else(missing)?;
        recorded["speed"] = json!({
            "bytes": timed.bytes,
            "operations": timed.operations,
            "inputs": inputs,
            "torch": timed.torch,
        });
        cases.push(recorded);
    }
    Ok(cases)
}
