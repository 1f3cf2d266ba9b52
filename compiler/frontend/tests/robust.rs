//! No source panics, and none runs out of stack.

mod support;

use std::thread;

use proptest::prelude::*;
use support::compile_text;

fn messages(text: &str) -> Vec<String> {
    let (sources, compiled) = compile_text(text, false);
    match compiled {
        Ok(_) => Vec::new(),
        Err(faults) => {
            for fault in &faults {
                assert!(fault.render(&sources).starts_with("f.nr:"));
            }
            faults.into_iter().map(|fault| fault.message).collect()
        }
    }
}

/// Runs on a stack as small as threads have by default.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(2 << 20).spawn(work);
    thread.expect("a thread").join().expect("no panic");
}

#[test]
fn deep_programs_compile_on_a_small_stack() {
    on_a_small_stack(|| {
        let nested = |open: &str, inner: &str, close: &str| {
            let (open, close) = (open.repeat(900), close.repeat(900));
            format!(
                "func id(x: i32) -> i32 {{ x }}\nfunc f(c: bool, t: &Tensor<f32, [2]>) {{ print({open}{inner}{close}) }}"
            )
        };
        for (open, inner, close) in [
            ("(", "1", ")"),
            ("1 + (", "1", ")"),
            ("- ", "(2 + 3)", ""),
            ("!", "c", ""),
            ("", "1", " + 1"),
            ("id(", "1", ")"),
            ("{ ", "1", " }"),
            ("if c { 1 } else { ", "1", " }"),
            ("", "t", ".exp()"),
            ("(t + ", "t", ")"),
            ("", "1", " as i32"),
        ] {
            assert_eq!(
                messages(&nested(open, inner, close)),
                [""; 0],
                "{open}{close}"
            );
        }
        let elifs = "elif c { }".repeat(900);
        assert_eq!(
            messages(&format!("func f(c: bool) {{ if c {{ }} {elifs} }}")),
            [""; 0]
        );
        let blocks = |open: &str| {
            format!(
                "func f(c: bool) {{ {} {} }}",
                open.repeat(900),
                "}".repeat(900)
            )
        };
        assert_eq!(messages(&blocks("while c {")), [""; 0]);
        assert_eq!(messages(&blocks("for i in 0..2 {")), [""; 0]);
        assert_eq!(messages(&blocks("if c {")), [""; 0]);
    });
}

#[test]
fn programs_too_deep_are_refused() {
    on_a_small_stack(|| {
        let text = format!(
            "func f() {{ {}1{} }}",
            "(".repeat(100_000),
            ")".repeat(100_000)
        );
        assert_eq!(messages(&text), ["nesting deeper than 1,000 levels"]);
    });
}

#[test]
fn chains_of_declarations_are_bounded() {
    on_a_small_stack(|| {
        let chain = |first: &str, next: &dyn Fn(usize) -> String| {
            let rest: String = (1..20_000).map(|n| next(n) + "\n").collect();
            messages(&format!("{first}\n{rest}"))
        };
        let faults = [
            chain("type A0 = i32", &|n| format!("type A{n} = A{}", n - 1)),
            chain("type A0 = i32", &|n| format!("type A{} = A{}", n - 1, n)),
            chain("const A0: i32 = 1", &|n| {
                format!("const A{}: i32 = A{} + 1", n - 1, n)
            }),
            chain("struct A0 { x: i32 }", &|n| {
                format!("struct A{n} {{ x: A{} }}", n - 1)
            }),
            chain("type A0 = (i32, i32)", &|n| {
                format!("type A{n} = (A{0}, A{0})", n - 1)
            }),
        ];
        assert!(faults[1..].iter().all(|faults| !faults.is_empty()));
    });
}

/// Statements with every kind of loop around moves: walking them must not take exponential time.
#[test]
fn nested_loops_are_walked_in_time() {
    let open = "while c { val b = a.clone()\n a = b\n ".repeat(300);
    let close = "}".repeat(300);
    let text =
        format!("func f(c: bool, t: &Tensor<f32, [2]>) {{ mut a = t.clone()\n {open}{close} }}");
    assert_eq!(messages(&text), [""; 0]);
    let text = text.replace("a = b", "print(take(a))\n");
    let text = text + "\nfunc take(t: Tensor<f32, [2]>) -> f32 { t.sum() }";
    assert!(!messages(&text).is_empty());
}

const WORDS: &[&str] = &[
    "a",
    "b",
    "t",
    "u",
    "f",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    "\n",
    "val x =",
    "mut y =",
    "=",
    "+=",
    "+",
    "-",
    "*",
    "/",
    "@",
    "&",
    "&mut",
    "..",
    ".sum()",
    ".exp()",
    ".t()",
    "if",
    "else",
    "while",
    "for i in",
    "return",
    "as f32",
    "1",
    "2.5",
    "true",
    "&&",
    "<",
    "==",
    "print(",
    "x",
    "y",
    ".sum(axis: 0)",
    "t[0, 1]",
    "|v: f32|",
    ".map(",
    ".clone()",
    "0..2",
    "break",
    "'c'",
    "\"s\"",
    "einsum(\"ij,jk->ik\",",
    ".reshape([",
    ".topk(k: 1)",
    "Tensor::scalar(",
    "(0..1).rev()",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_text_panics(text in any::<String>()) {
        messages(&text);
    }

    #[test]
    fn no_words_panic(words in prop::collection::vec(prop::sample::select(WORDS), 0..40)) {
        let body = words.join(" ");
        messages(&format!(
            "func f(a: i32, b: f32, t: &Tensor<f32, [2, 2]>, u: Tensor<f32, [2]>) -> f32 {{ {body} }}"
        ));
    }
}
