//! Sources, whatever is in them.

use crate::place::Place;

#[test]
fn check_prints_diagnostics_and_nothing_else() {
    let place = Place::new();
    place.command(&["check", "f.nr"]).prints("");
    place.write("g.nr", "func main() {\n    val é = 1 + true\n}\n");
    let seen = place.command(&["check", "g.nr"]);
    seen.fails(2, "g.nr:2:");
    assert!(seen.err.contains("2 |     val é = 1 + true\n"), "{seen:?}");
    place.write("h.nr", "func f() { a }\nfunc g() { b }\n");
    let seen = place.command(&["check", "h.nr"]);
    seen.fails(2, "h.nr:1:12: error: ");
    assert!(
        seen.err.contains("h.nr:2:12: error: "),
        "several a run: {seen:?}"
    );
}

#[test]
fn sources_that_are_no_programs() {
    let place = Place::new();
    place.write("empty.nr", "");
    place.command(&["check", "empty.nr"]).prints("");
    place
        .command(&["run", "empty.nr"])
        .fails(2, "error: `empty.nr` has no function `main`\n");
    let binary: Vec<u8> = (0..=255).rev().cycle().take(10_000).collect();
    place.write("binary.nr", binary);
    place
        .command(&["run", "binary.nr"])
        .fails(2, "binary.nr:1:1: error: the file is not UTF-8");
    place.write("zeros.nr", [0; 1000]);
    place
        .command(&["run", "zeros.nr"])
        .fails(2, "zeros.nr:1:1: error: ");
    place.write("late.nr", b"func main() {\n  \xff }");
    place
        .command(&["run", "late.nr"])
        .fails(2, "late.nr:2:3: error: the file is not UTF-8");
    place.write("escape.nr", r#"func main() { print("a\q") }"#);
    place
        .command(&["check", "escape.nr"])
        .fails(2, "escape.nr:1:23: error: unknown escape `\\q`");
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("-", ""),
        ("f(", ")"),
        ("!", ""),
    ] {
        let nested = [open.repeat(100_000), "1".into(), close.repeat(100_000)].concat();
        place.write("deep.nr", format!("func main() {{ val x = {nested} }}"));
        for command in ["run", "check"] {
            place.command(&[command, "deep.nr"]).fails(2, "deep.nr:1:");
        }
    }
    let long = format!("func main() {{ val x = {}1 }}", "1 + ".repeat(100_000));
    place.write("long.nr", long);
    let seen = place.command(&["run", "long.nr"]);
    assert!(matches!(seen.status, 0 | 2), "{seen:?}");
    let large = std::fs::File::create(place.path("large.nr")).unwrap();
    large.set_len((64 << 20) + 1).unwrap();
    let endless = "/dev/zero";
    for name in ["large.nr", endless] {
        if name == endless && !std::path::Path::new(endless).exists() {
            continue;
        }
        let text = format!("error: `{name}` cannot be read: a source file has at most 64 MiB\n");
        place.command(&["check", name]).fails(2, &text);
    }
    place
        .command(&["run", "missing.nr"])
        .fails(2, "error: `missing.nr` cannot be read: ");
    place
        .command(&["run", "."])
        .fails(2, "error: `.` cannot be read: ");
}

/// A program's functions are its own, whatever C calls so; where one text must hold both, that is
/// refused at the program's.
#[test]
fn functions_with_names_of_the_c_library() {
    let place = Place::new();
    let program = "type M = Tensor<f32, [8, 8]>
func malloc(a: &M, b: &M) -> M { (a @ b) @ b }
func free(a: &M) -> M { a % a }
func expf(a: &M) -> M { a.exp() }
func fmodf(x: f32) -> f32 { x % 2.0 }
func memcpy() { print(fmodf(5.0)) }
func main() {
    val a = M::ones()
    print(malloc(&a, &a).min(), free(&a).sum(), (expf(&a) - 2.7182817).abs().max() < 0.001)
    memcpy()
}
";
    place.write("names.nr", program);
    for engine in ["interpreter", "jit"] {
        let seen = place.command(&["run", "names.nr", "--engine", engine]);
        seen.prints("64.0 0.0 true\n1.0\n");
    }
    for stage in ["hir", "mlir", "schedule", "link"] {
        let seen = place.command(&["emit", "names.nr", "--stage", stage]);
        assert_eq!((seen.status, seen.err.as_str()), (0, ""), "{stage}");
    }
    let seen = place.command(&["build", "names.nr", "-o", "out"]);
    let are_notes = seen.err.lines().all(|line| line.contains(": note: `"));
    assert!(seen.status == 0 && are_notes, "{seen:?}");
    let llvm = || place.command(&["emit", "names.nr", "--stage", "llvm"]);
    let taken =
        "error: `malloc` is also the name of a function of the C library, which the code calls";
    llvm().fails(2, &format!("names.nr:2:1: {taken}\n"));
    place.write("names.nr", program.replace(" @ b) @ b", " + b)"));
    let seen = llvm();
    assert_eq!((seen.status, seen.err.as_str()), (0, ""));
    for name in ["malloc", "free", "expf"] {
        assert!(
            seen.out.contains(&format!("define void @{name}(")),
            "{}",
            seen.out
        );
    }
}
