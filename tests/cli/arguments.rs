//! The values of `--arg`.

use crate::place::{Place, header, npy};

#[test]
fn arguments_that_do_not_fit() {
    let place = Place::new();
    let entry = |name, words: &[&str]| place.run(&[&["--entry", name], words].concat());
    entry("nowhere", &[]).fails(2, "error: `f.nr` has no function `nowhere`\n");
    place.write(
        "made.nr",
        "func f(a: &Tensor<f32, [2]>) -> f32 { (a + a).sum() }
func plain__op0(a: &Tensor<f32, [2]>) -> Tensor<f32, [2]> { a - a }
",
    );
    let made = |name| {
        let words = ["--entry", name, "--arg", "a=random:1"];
        place.command(&[&["run", "made.nr"], &words[..]].concat())
    };
    made("f__op0").fails(2, "error: `made.nr` has no function `f__op0`\n");
    made("plain__op0").prints("[0. 0.]\n");
    entry("divide", &["--arg", "a=1"]).fails(2, "error: the argument `b` of `divide` is missing");
    let twice = ["--arg", "a=1", "--arg", "b=2", "--arg", "a=1"];
    entry("divide", &twice).fails(2, "error: the argument `a` is given twice\n");
    let unknown = ["--arg", "a=1", "--arg", "b=2", "--arg", "c=3"];
    entry("divide", &unknown).fails(2, "error: `divide` has no parameter `c`; it takes a, b\n");
    entry("main", &["--arg", "x=1"]).fails(
        2,
        "error: `main` has no parameter `x`; it takes no arguments\n",
    );
    for value in ["2147483648", "1.5", "one", "", "0x10", " 1"] {
        let value = format!("a={value}");
        entry("divide", &["--arg", &value, "--arg", "b=1"])
            .fails(2, "error: the argument `a` (i32): ");
    }
    entry("letter", &["--arg", "c=xy", "--arg", "yes=true"])
        .fails(2, "error: the argument `c` (char): `xy` is no char\n");
    entry("letter", &["--arg", "c=x", "--arg", "yes=1"])
        .fails(2, "error: the argument `yes` (bool): `1` is no bool\n");
    entry("text", &["--arg", "s=x"]).fails(2, "f.nr:6:11: error: ");
    for seed in ["", "-1", "x", "18446744073709551616"] {
        let value = format!("a=random:{seed}");
        entry("both", &["--arg", &value]).fails(2, "error: the argument `a` (Tensor<i16, [2]>): ");
    }
    // More bytes than any address space has, and more than this machine has.
    for (extent, status) in [(1u64 << 62, 2), (1 << 46, 1)] {
        let source = format!("func f(a: &Tensor<f64, [{extent}]>) -> f64 {{ a[0] }}");
        place.write("large.nr", source);
        for engine in ["jit", "interpreter"] {
            let words = ["--entry", "f", "--arg", "a=random:1", "--engine", engine];
            place
                .command(&[&["run", "large.nr"], &words[..]].concat())
                .fails(status, "error: ");
        }
    }
}

#[test]
fn scalars_are_read_as_their_type() {
    let place = Place::new();
    let half = |value: &str| place.run(&["--entry", "half", "--arg", &format!("x={value}")]);
    half("0.1").prints("0.1\n");
    half("-1e9").prints("-inf\n");
    half("nan").prints("nan\n");
    let letter = ["--entry", "letter", "--arg", "c=ß", "--arg", "yes=true"];
    place.run(&letter).prints("ß\n");
    let words = ["--entry", "half", "--arg", "x=1", "--hash"];
    place.run(&words).prints("f16 ab021bde2b1db2b2\n");
}

#[test]
fn files_that_are_not_the_array() {
    let place = Place::new();
    let data = [0u8; 24];
    let good = npy(&header("<f4", "False", "(2, 3)"), &data);
    let cases: &[(&str, Vec<u8>, &str)] = &[
        ("empty", vec![], "not a .npy file"),
        ("text", b"1 2 3\n4 5 6\n".to_vec(), "not a .npy file"),
        ("magic", b"\x93NUMPY".to_vec(), ""),
        ("version", b"\x93NUMPY\x09\x00\x00\x00".to_vec(), "version"),
        ("header", npy("{'descr': ", &data), "header"),
        (
            "dtype",
            npy(&header("<f8", "False", "(2, 3)"), &[0; 48]),
            "dtype '<f4', found",
        ),
        (
            "endian",
            npy(&header(">f4", "False", "(2, 3)"), &data),
            "big-endian",
        ),
        (
            "shape",
            npy(&header("<f4", "False", "(3, 2)"), &data),
            "shape (2, 3), found (3, 2)",
        ),
        (
            "rank",
            npy(&header("<f4", "False", "(6,)"), &data),
            "shape (2, 3), found (6,)",
        ),
        (
            "fortran",
            npy(&header("<f4", "True", "(2, 3)"), &data),
            "Fortran order",
        ),
        ("short", good[..good.len() - 1].to_vec(), "truncated"),
        ("cut", good[..40].to_vec(), ""),
        ("long", [&good[..], &[0]].concat(), "to end after"),
        (
            "overflow",
            npy(&header("<f4", "False", "(4294967296, 4294967296)"), &data),
            "overflow",
        ),
        (
            "overflow2",
            npy(
                &header("<f4", "False", "(99999999999999999999999, 1)"),
                &data,
            ),
            "overflow",
        ),
    ];
    for (name, bytes, expected) in cases {
        let name = format!("{name}.npy");
        place.write(&name, bytes);
        let value = format!("a={name}");
        let seen = place.run(&["--entry", "add", "--arg", &value, "--arg", "b=random:1"]);
        seen.fails(2, "error: the argument `a` (Tensor<f32, [2, 3]>): `");
        assert!(
            seen.err.contains(&name) && seen.err.contains(expected),
            "{seen:?}"
        );
    }
    let missing = place.run(&["--entry", "add", "--arg", "a=no.npy", "--arg", "b=random:1"]);
    missing.fails(
        2,
        "error: the argument `a` (Tensor<f32, [2, 3]>): `no.npy`: cannot be read: ",
    );
    let number = place.run(&["--entry", "add", "--arg", "a=3", "--arg", "b=random:1"]);
    number.fails(2, "error: the argument `a` (Tensor<f32, [2, 3]>): `3`: ");
    assert!(
        number
            .err
            .contains("a .npy file or random:SEED was expected"),
        "{number:?}"
    );
}
