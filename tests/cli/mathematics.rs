//! What an optimizer would compute in its own way.

use crate::place::Place;

/// LLVM has code of its own for powers of these (numerics, §Mathematics).
const EXPONENTS: [&str; 8] = ["2.0", "0.5", "-0.5", "-1.0", "0.0", "1.0", "3.0", "4.0"];

#[test]
fn a_constant_exponent_gives_the_bits_of_the_same_one_at_run_time() {
    let place = Place::new();
    for scalar in ["f16", "bf16", "f32", "f64"] {
        let tensor = format!("Tensor<{scalar}, [1001]>");
        let results = vec![tensor.as_str(); EXPONENTS.len()].join(", ");
        let powers = |exponents: &[String]| {
            let each = exponents.iter().map(|e| format!("a.pow({e})"));
            each.collect::<Vec<_>>().join(", ")
        };
        let names: Vec<String> = (0..EXPONENTS.len()).map(|n| format!("e{n}")).collect();
        let parameters: String = names.iter().map(|e| format!(", {e}: {scalar}")).collect();
        let program = format!(
            "@gpu(fallback: true) func constant(a: &{tensor}) -> ({results}) {{ ({}) }}
@gpu(fallback: true) func given(a: &{tensor}{parameters}) -> ({results}) {{ ({}) }}
",
            powers(&EXPONENTS.map(str::to_string)),
            powers(&names),
        );
        place.write("powers.nr", program);
        let run = |entry, values: &[String]| {
            let words = [
                "run",
                "powers.nr",
                "--hash",
                "--entry",
                entry,
                "--arg",
                "a=random:1",
            ];
            let values = values.iter().flat_map(|value| ["--arg", value]);
            let words: Vec<&str> = words.into_iter().chain(values).collect();
            let seen = place.command(&words);
            assert_eq!((seen.status, seen.err.as_str()), (0, ""));
            seen.out
        };
        let values: Vec<String> = names
            .iter()
            .zip(EXPONENTS)
            .map(|(n, e)| format!("{n}={e}"))
            .collect();
        assert_eq!(run("constant", &[]), run("given", &values), "{scalar}");
    }
}
