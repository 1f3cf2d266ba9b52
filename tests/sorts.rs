//! Compiled sorts beside Rust's stable sort, element by element and bit by bit.

#[path = "sorts/code.rs"]
mod code;
#[path = "sorts/reference.rs"]
mod reference;

use code::{Code, Sort, Wanted};
use mlir_backend::internal::SortForm;
use reference::{PATTERNS, expected, from_bits};
use shared_types::ScalarType;

fn numbers() -> impl Iterator<Item = ScalarType> {
    let all = ScalarType::ALL.into_iter();
    all.filter(|scalar| scalar.is_number())
}

/// A shape and the axis that is sorted, what is wanted, and whether descending.
type Case<'s> = (&'s [u64], usize, Wanted, bool);

/// Compiles the sorts of each element type, and compares what they give.
fn compare(form: SortForm, cases: &[Case<'_>]) {
    for scalar in numbers() {
        let sorts = cases.iter().map(|&(shape, axis, wanted, descending)| Sort {
            scalar,
            shape: shape.to_vec(),
            axis,
            descending,
            wanted,
        });
        let sorts: Vec<Sort> = sorts.collect();
        let code = Code::compile(&sorts, form);
        for (index, sort) in sorts.iter().enumerate() {
            for pattern in PATTERNS {
                let count = sort.shape.iter().product::<u64>() as usize;
                let elements = pattern.elements(scalar, sort.descending, count);
                let operand = from_bits(scalar, &sort.shape, &elements);
                let results = code.run(index, sort, &operand);
                for (found, expected) in results.iter().zip(expected(sort, &elements)) {
                    assert!(found.same_bits(&expected), "{sort:?} of {pattern:?}");
                }
            }
        }
    }
}

/// From 256 elements on a run sorts by its bytes.
const EXTENTS: [u64; 9] = [0, 1, 2, 3, 31, 255, 256, 257, 10_007];

fn extents(wanted: Wanted) -> Vec<Case<'static>> {
    let shapes = EXTENTS.iter().map(std::slice::from_ref);
    let cases = |shape| [false, true].map(|descending| (shape, 0, wanted, descending));
    shapes.flat_map(cases).collect()
}

#[test]
fn every_extent() {
    compare(SortForm::Runs, &extents(Wanted::Elements));
}

#[test]
fn equal_elements_keep_their_order() {
    compare(SortForm::Runs, &extents(Wanted::Positions));
}

#[test]
fn every_axis() {
    let shapes: [&[u64]; 4] = [&[3, 300], &[2, 257, 3], &[256, 1, 2, 2], &[5, 7, 4]];
    let cases = shapes.iter().enumerate().flat_map(|(index, &shape)| {
        let wanted = [Wanted::Elements, Wanted::Positions][index % 2];
        (0..shape.len()).map(move |axis| (shape, axis, wanted, (index + axis) % 2 == 1))
    });
    compare(SortForm::Runs, &cases.collect::<Vec<_>>());
}

#[test]
fn the_first_ones() {
    compare(
        SortForm::Runs,
        &[
            (&[0], 0, Wanted::Top(0), true),
            (&[9], 0, Wanted::Top(1), true),
            (&[300], 0, Wanted::Top(0), true),
            (&[256], 0, Wanted::Top(1), true),
            (&[1000], 0, Wanted::Top(16), true),
            (&[1000], 0, Wanted::Top(17), true),
            (&[257], 0, Wanted::Top(257), true),
            (&[3, 7, 2], 1, Wanted::Top(4), true),
            (&[2, 300, 3], 1, Wanted::Top(5), true),
            (&[300, 2], 0, Wanted::Top(20), true),
        ],
    );
}

/// The general form, also where a host sorts by bytes.
#[test]
fn merges_give_the_same() {
    compare(
        SortForm::Merge,
        &[
            (&[0], 0, Wanted::Elements, false),
            (&[1], 0, Wanted::Positions, false),
            (&[7], 0, Wanted::Elements, true),
            (&[257], 0, Wanted::Elements, true),
            (&[1000], 0, Wanted::Positions, false),
            (&[2, 300, 3], 1, Wanted::Elements, false),
            (&[300, 2], 0, Wanted::Positions, true),
            (&[2, 260], 1, Wanted::Top(3), true),
        ],
    );
}
