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
