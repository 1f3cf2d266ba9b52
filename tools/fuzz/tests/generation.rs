//! What the generator makes: everything, and the same of a seed each time.

use fuzz::coverage::Coverage;
use fuzz::generate::{Domain, function};

#[test]
fn a_seed_is_the_same_functions() {
    for number in 0..200 {
        let first = function(Domain::Host, 7, number).print("f");
        assert_eq!(first, function(Domain::Host, 7, number).print("f"));
    }
    assert_ne!(
        function(Domain::Host, 7, 0).print("f"),
        function(Domain::Host, 8, 0).print("f")
    );
}

#[test]
fn nothing_is_never_made() {
    let of_host = [
        "style: @gpu(fallback: true), host code",
        "packed beside a sort",
        "packed beside a traversal",
        "packed beside a reduction",
    ];
    has_all(Domain::Host, &of_host);
    let of_device = [
        "style: @gpu",
        "extent 65537",
        "extent 524289",
        "extent 1048577",
    ];
    has_all(Domain::Device, &of_device);
}

fn has_all(domain: Domain, others: &[&str]) {
    let mut coverage = Coverage::new(domain);
    for number in 0..12_000 {
        let function = function(domain, 0, number);
        assert!(
            function.types().is_some(),
            "program {number} is not well-formed"
        );
        coverage.add(&function);
    }
    assert_eq!(
        coverage.missing(),
        [],
        "operations with types that no program has"
    );
    let ranks = (0..=6).map(|rank| format!("rank {rank}"));
    let extents = [
        0, 1, 2, 3, 7, 31, 64, 255, 256, 257, 4095, 4096, 4097, 10_007,
    ];
    let extents = extents.iter().map(|extent| format!("extent {extent}"));
    let lengths = (1..=12).map(|length| format!("operations: {length}"));
    let always = [
        "style: plain",
        "style: return",
        "style: host",
        "style: early return",
        "style: @gpu(fallback: true)",
        "passed: Owned",
        "passed: Borrowed",
        "passed: BorrowedMut",
        "named axes",
        "type alias",
        "tuple result",
        "left: scalar",
        "left: literal",
        "left: stretched",
        "right: scalar",
        "right: literal",
        "right: stretched",
    ];
    let others = always.iter().chain(others).map(|text| text.to_string());
    for feature in ranks.chain(extents).chain(lengths).chain(others) {
        assert!(coverage.has(&feature), "no program has {feature}");
    }
}
