//! What is refused, and where.

#[path = "faults/attributes.rs"]
mod attributes;
#[path = "faults/moves.rs"]
mod moves;
#[path = "faults/names.rs"]
mod names;
mod support;
#[path = "faults/tensors.rs"]
mod tensors;
#[path = "faults/types.rs"]
mod types;

use expect_test::{Expect, expect};
use support::compile_text;

/// The first line of each fault of each program, which are apart by a blank line.
#[track_caller]
fn refuses(programs: &str, expected: Expect) {
    let mut found = String::new();
    for program in programs.split("\n\n") {
        let (sources, compiled) = compile_text(program, false);
        let faults = compiled.expect_err(program);
        assert!(!faults.is_empty(), "{program}");
        for fault in faults {
            let text = fault.render(&sources);
            found += text.lines().next().unwrap_or_default();
            found.push('\n');
        }
    }
    expected.assert_eq(&found);
}

#[test]
fn a_fault_shows_its_place_and_what_was_expected() {
    let (sources, compiled) = compile_text(
        "func f(a: &Tensor<f32, [2, 3]>, b: &Tensor<f32, [2]>) -> Tensor<f32, [2, 3]> {
    val c: i32 = 1.5
    val d = a + b
    take(a)
    a
}
func take(t: Tensor<f32, [2, 3]>) { }
",
        false,
    );
    let faults = compiled.expect_err("faults");
    let rendered: String = faults.iter().map(|fault| fault.render(&sources)).collect();
    expect![[r#"
        f.nr:2:18: error: expected `i32`, found a number with a fraction
          |
        2 |     val c: i32 = 1.5
          |                  ^^^
        f.nr:3:13: error: `Tensor<f32, [2, 3]>` + `Tensor<f32, [2]>`: shapes do not agree
          |
        3 |     val d = a + b
          |             ^^^^^
          = help: axes align at the last one; an extent of 1 stretches
        f.nr:4:10: error: expected `Tensor<f32, [2, 3]>`, found `&Tensor<f32, [2, 3]>`
          |
        4 |     take(a)
          |          ^ expected `Tensor<f32, [2, 3]>`
          = help: copy it: `.clone()`
    "#]]
    .assert_eq(&rendered);
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_text() {
    let mark = '\u{feff}';
    let (_, compiled) = compile_text(&format!("{mark}func f() {{ }}"), false);
    assert!(compiled.is_ok(), "{compiled:?}");
    let (sources, compiled) = compile_text(&format!("{mark}func f() {{ x }}"), false);
    let faults = compiled.expect_err("a fault");
    expect![[r#"
        f.nr:1:12: error: there is no `x` here
          |
        1 | func f() { x }
          |            ^
    "#]]
    .assert_eq(&faults[0].render(&sources));
    let (_, compiled) = compile_text(&format!("func f() {{ }}{mark}"), false);
    assert!(compiled.is_err(), "elsewhere it is no space");
}
