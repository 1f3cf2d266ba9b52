use ast_types::{Block, Expr, ExprKind, ItemKind, Number, StatementKind};
use expect_test::{Expect, expect};
use proptest::prelude::*;
use shared_types::{SourceFile, SourceMap};

use super::*;
use crate::deep::on_deep_stack;

/// An expression with every grouping shown.
fn grouped(expr: &Expr) -> String {
    let all = |exprs: &[Expr]| exprs.iter().map(grouped).collect::<Vec<_>>().join(", ");
    let part = |expr: &Option<Box<Expr>>| expr.as_ref().map_or(String::new(), |e| grouped(e));
    match &expr.kind {
        ExprKind::Number(Number::Integer { value, .. }) => value.to_string(),
        ExprKind::Number(Number::Float { digits, .. }) => digits.clone(),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Unary { op, operand } => format!("({op}{})", grouped(operand)),
        ExprKind::Binary { op, left, right } => {
            format!("({} {op} {})", grouped(left), grouped(right))
        }
        ExprKind::Cast { operand, .. } => format!("({} as _)", grouped(operand)),
        ExprKind::Borrow { operand, .. } => format!("(&{})", grouped(operand)),
        ExprKind::Range { start, end, .. } => format!("({}..{})", part(start), part(end)),
        ExprKind::Tuple(members) => format!("<{}>", all(members)),
        ExprKind::Call { callee, arguments } => {
            let values: Vec<_> = arguments.iter().map(|a| grouped(&a.value)).collect();
            format!("{}({})", grouped(callee), values.join(", "))
        }
        ExprKind::MethodCall {
            receiver, method, ..
        } => format!("{}.{method}()", grouped(receiver)),
        ExprKind::Field { operand, field } => format!("{}.{field}", grouped(operand)),
        ExprKind::TupleMember { operand, index } => format!("{}.{index}", grouped(operand)),
        ExprKind::Index { operand, entries } => {
            format!("{}[{}]", grouped(operand), all(entries))
        }
        other => format!("{other:?}"),
    }
}

fn parse_text(text: &str) -> (Module, Vec<Diagnostic>) {
    on_deep_stack(|| parse(FileId(0), text)).expect("a thread")
}

fn body(text: &str) -> Block {
    let (mut module, faults) = parse_text(&format!("func f() {{\n{text}\n}}"));
    assert_eq!(faults, [], "{text}");
    match module.items.remove(0).kind {
        ItemKind::Function(function) => function.body,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn groups(text: &str, expected: &str) {
    let block = body(text);
    assert_eq!(block.statements, [], "{text}");
    let value = block
        .value
        .map_or("nothing".into(), |value| grouped(&value));
    assert_eq!(value, expected, "{text}");
}

#[track_caller]
fn check_faults(text: &str, expected: Expect) {
    let mut sources = SourceMap::default();
    sources.add(SourceFile::new("f.nr", text));
    let (_, faults) = parse_text(text);
    let rendered: String = faults.iter().map(|fault| fault.render(&sources)).collect();
    expected.assert_eq(&rendered);
}

#[test]
fn operators_group_as_the_page_says() {
    groups("a + b * c", "(a + (b * c))");
    groups("a - b - c", "((a - b) - c)");
    groups("a @ b % c", "((a @ b) % c)");
    groups("-a as f32 * b", "(((-a) as _) * b)");
    groups("-a.abs()", "(-a.abs())");
    groups("!a && b || c && d", "(((!a) && b) || (c && d))");
    groups("a..b + 1", "(a..(b + 1))");
    groups("a < b && c >= d", "((a < b) && (c >= d))");
    groups("&a + &mut b", "((&a) + (&b))");
    groups("(a + b) * c", "((a + b) * c)");
    groups(
        "t[0, .., 1..3, 2..].x.0.1",
        "t[0, (..), (1..3), (2..)].x.0.1",
    );
    groups("f(x)(y)[z].g()", "f(x)(y)[z].g()");
    groups("(a,)", "<a>");
    groups("(a)", "a");
    groups("()", "<>");
}

#[test]
fn a_statement_ends_with_its_line() {
    let count = |text: &str| {
        let block = body(text);
        block.statements.len() + usize::from(block.value.is_some())
    };
    assert_eq!(count("a\n-b"), 2);
    assert_eq!(count("a -\nb"), 1);
    assert_eq!(count("a\n(b)"), 2);
    assert_eq!(count("a(\nb\n)"), 1);
    assert_eq!(count("a; b; c;"), 3);
    assert_eq!(count("(a\n- b)"), 1);
    assert_eq!(count("f({ a\n-b })"), 1);
    assert_eq!(count("a.\nb()"), 1);
    assert_eq!(count("val x =\n3\nx"), 2);
    assert_eq!(count("if a {\n}\nelse {\n}\nb"), 2);
    assert_eq!(count("return\nb"), 2);
    assert_eq!(count("0..\n5"), 1);
    assert_eq!(count("if a { b } c"), 2);
}

#[test]
fn the_last_expression_is_the_value() {
    assert!(body("a\nb").value.is_some());
    assert!(body("a\nb;").value.is_some());
    assert!(body("val a = b").value.is_none());
    assert!(body("while a { b }").value.is_none());
    assert!(body("").value.is_none());
}

#[test]
fn a_brace_opens_the_body_not_a_struct() {
    let block = body("if x { y }\nwhile a == b { }\nfor i in 0..n { }\nval p = P { x: 1, y }");
    assert_eq!(block.statements.len(), 4);
    let StatementKind::Bind { value, .. } = &block.statements[3].kind else {
        panic!("{block:?}");
    };
    assert!(matches!(&value.kind, ExprKind::StructLiteral { fields, .. } if fields.len() == 2));
}

#[test]
fn the_whole_page_parses() {
    let text = include_str!("page.nr");
    let (module, faults) = parse_text(text);
    assert_eq!(faults, []);
    assert_eq!(module.items.len(), 12);
}

#[test]
fn spans_cover_what_they_name() {
    let text = "func f() {\n  (a + b) * c\n}";
    let (module, _) = parse_text(text);
    let ItemKind::Function(function) = &module.items[0].kind else {
        panic!("{module:?}");
    };
    let of = |span: Span| &text[span.start as usize..span.end as usize];
    assert_eq!(of(function.header), "func f()");
    let value = function.body.value.as_ref().map(|value| of(value.span));
    assert_eq!(value, Some("(a + b) * c"));
}

#[test]
fn faults_say_what_was_expected() {
    check_faults("", expect![""]);
    check_faults(
        "func f( {}",
        expect![[r#"
        f.nr:1:9: error: expected a parameter, found `{`
          |
        1 | func f( {}
          |         ^ expected a parameter
    "#]],
    );
    check_faults(
        "func f() { a < b < c }",
        expect![[r#"
        f.nr:1:18: error: comparisons do not chain
          |
        1 | func f() { a < b < c }
          |                  ^
          = help: join two comparisons with `&&`
    "#]],
    );
    check_faults(
        "func f() { 0..1..2 }",
        expect![[r#"
        f.nr:1:16: error: ranges do not chain
          |
        1 | func f() { 0..1..2 }
          |                ^^
    "#]],
    );
    check_faults(
        "func f() { if a { } else if b { } }",
        expect![[r#"
        f.nr:1:26: error: `else if` is written `elif`
          |
        1 | func f() { if a { } else if b { } }
          |                          ^^
    "#]],
    );
    check_faults(
        "func f() {\n  a\n  .b()\n}",
        expect![[r#"
        f.nr:3:3: error: expected a statement, found `.`
          |
        3 |   .b()
          |   ^
          = help: a statement ends with its line: end the line before with the `.`
    "#]],
    );
    check_faults(
        "func f() { \"\\q\" }",
        expect![[r#"
        f.nr:1:13: error: unknown escape `\q`
          |
        1 | func f() { "\q" }
          |             ^^ expected one of \n \r \t \0 \\ \' \" \xNN \u{…}
    "#]],
    );
    check_faults(
        "func f() { 1x + 2 }",
        expect![[r#"
        f.nr:1:12: error: `x` is no suffix of a number
          |
        1 | func f() { 1x + 2 }
          |            ^^ expected a type such as `i32` or `f32`
    "#]],
    );
    check_faults(
        "func f() { 'ab' }",
        expect![[r#"
        f.nr:1:12: error: a character literal holds one character
          |
        1 | func f() { 'ab' }
          |            ^^^^
          = help: a string stands in `"`
    "#]],
    );
    check_faults(
        "func f() { val 3 = 4 }",
        expect![[r#"
        f.nr:1:16: error: expected a name, found a number
          |
        1 | func f() { val 3 = 4 }
          |                ^ expected a name
    "#]],
    );
    check_faults(
        "func f() { a b }",
        expect![[r#"
        f.nr:1:14: error: expected an operator or the end of the line, found `b`
          |
        1 | func f() { a b }
          |              ^ expected an operator or the end of the line
    "#]],
    );
    check_faults(
        "func f(a: Tensor<f32>) { }",
        expect![[r#"
        f.nr:1:21: error: expected `,`, found `>`
          |
        1 | func f(a: Tensor<f32>) { }
          |                     ^ expected `,`
    "#]],
    );
    check_faults(
        "func f() {",
        expect![[r#"
        f.nr:1:11: error: expected an expression, found the end of the file
          |
        1 | func f() {
          |           ^ expected an expression
    "#]],
    );
    check_faults(
        "x",
        expect![[r#"
        f.nr:1:1: error: expected an item: `func`, `struct`, `impl`, `const` or `type`, found `x`
          |
        1 | x
          | ^ expected an item: `func`, `struct`, `impl`, `const` or `type`
    "#]],
    );
    check_faults(
        "func f(a: i32, self) { }",
        expect![[r#"
        f.nr:1:16: error: `self` is the first parameter
          |
        1 | func f(a: i32, self) { }
          |                ^^^^
    "#]],
    );
    check_faults(
        "\u{1}\u{2}",
        expect![[r#"
        f.nr:1:1: error: no token begins with '\u{1}'
          |
        1 | ��
          | ^^
    "#]],
    );
}

#[test]
fn several_faults_are_found_in_one_run() {
    check_faults(
        "func f() {\n  val = 1\n  val b = )\n  val c = 2\n}\n\nconst = 3\n\nimpl T {\n  func m( { }\n  func ok(&self) { }\n  func n() { + }\n}\nfunc g() { * }\n",
        expect![[r#"
            f.nr:2:7: error: expected a name, found `=`
              |
            2 |   val = 1
              |       ^ expected a name
            f.nr:3:11: error: expected an expression, found `)`
              |
            3 |   val b = )
              |           ^ expected an expression
            f.nr:7:7: error: expected the constant's name, found `=`
              |
            7 | const = 3
              |       ^ expected the constant's name
            f.nr:10:11: error: expected a parameter, found `{`
               |
            10 |   func m( { }
               |           ^ expected a parameter
            f.nr:12:14: error: expected an expression, found `+`
               |
            12 |   func n() { + }
               |              ^ expected an expression
            f.nr:14:12: error: expected an expression, found `*`
               |
            14 | func g() { * }
               |            ^ expected an expression
        "#]],
    );
}

#[test]
fn nesting_is_bounded() {
    let deep = |open: &str, close: &str, levels: usize| {
        let text = format!(
            "func f() {{ {}x{} }}",
            open.repeat(levels),
            close.repeat(levels)
        );
        let (_, faults) = parse_text(&text);
        faults
            .into_iter()
            .map(|fault| fault.message)
            .collect::<Vec<_>>()
    };
    let pairs = [
        ("(", ")"),
        ("[", "]"),
        ("f(", ")"),
        ("{", "}"),
        ("-", ""),
        ("& ", ""),
        ("", ".f()"),
        ("", " + x"),
        ("", "[0]"),
        ("", " as i32"),
        ("if ", " { }"),
        ("|| ", ""),
    ];
    for (open, close) in pairs {
        assert_eq!(deep(open, close, 990), [""; 0], "{open}{close}");
        let faults = deep(open, close, 100_000);
        assert_eq!(
            faults.first().map(String::as_str),
            Some(TOO_DEEP),
            "{open}{close}"
        );
    }
    assert_eq!(deep("(", "", 100_000)[0], TOO_DEEP);
    assert_eq!(deep("(-", " + x)", 100_000)[0], TOO_DEEP);
    assert_eq!(deep("(", ".f().f().f())", 500), [TOO_DEEP]);
    let elifs = format!("func f() {{ if a {{ }} {} }}", "elif a { }".repeat(100_000));
    assert_eq!(parse_text(&elifs).1[0].message, TOO_DEEP);
    for (open, close) in [("& ", ""), ("(", ")"), ("func(", ")"), ("func() -> ", "")] {
        let (open, close) = (open.repeat(100_000), close.repeat(100_000));
        let (_, faults) = parse_text(&format!("type T = {open}i32{close}"));
        assert_eq!(faults[0].message, TOO_DEEP);
    }
}

const TOO_DEEP: &str = "nesting deeper than 1,000 levels";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_text_panics(text in any::<String>()) {
        parse_text(&text);
    }

    #[test]
    fn no_tokens_panic(words in prop::collection::vec(prop::sample::select(WORDS), 0..80)) {
        parse_text(&words.join(" "));
        parse_text(&format!("func f() {{ {} }}", words.join(" ")));
    }
}

const WORDS: &[&str] = &[
    "func", "f", "(", ")", "{", "}", "[", "]", "<", ">", "->", ":", "::", ",", ";", "\n", "val",
    "mut", "=", "+=", "+", "-", "*", "@", "&", "|", "||", "&&", "..", "..=", ".", "if", "elif",
    "else", "while", "for", "in", "loop", "break", "return", "as", "i32", "Tensor", "?", "1",
    "2.5", "\"s\"", "'c'", "self", "struct", "impl", "const", "type", "@gpu", "true", ">=", "0.1",
];
