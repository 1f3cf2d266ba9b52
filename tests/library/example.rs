use std::fs;
use std::process::Command;

use crate::workshop::{Seen, Workshop, example, read};

fn workshop() -> Workshop {
    let workshop = Workshop::new();
    for file in ["model.nr", "main.c", "main.rs"] {
        fs::copy(example(file), workshop.path(file)).unwrap();
    }
    workshop.build("model.nr", &[]);
    workshop
}

#[test]
fn the_c_program_prints_what_it_should() {
    let workshop = workshop();
    workshop.link("main.c", "model");
    let expected = Seen {
        status: Some(0),
        out: read(&example("expected.txt")),
        err: "model.nr:10:5: panic: integer overflow in `*` at element [1, 1]\n".to_string(),
    };
    assert_eq!(workshop.run(), expected);
}

#[test]
fn the_rust_program_prints_what_it_should() {
    let workshop = workshop();
    let words = ["--edition", "2024", "-L", ".", "main.rs", "-o", "program"];
    workshop.succeeds(Command::new("rustc").args(words));
    let expected = Seen {
        status: Some(0),
        out: read(&example("expected.txt")),
        err: String::new(),
    };
    assert_eq!(workshop.run(), expected);
}
