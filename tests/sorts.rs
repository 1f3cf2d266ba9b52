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

/// Compiles the sorts of each element type, ascending and descending, and compares what they give.
fn compare(form: SortForm, sorts: &[(&[u64], usize, Wanted)]) {
    for scalar in numbers() {
        let mut directed = Vec::new();
        for &(shape, axis, wanted) in sorts {
            let directions: &[bool] = match wanted {
                Wanted::Top(_) => &[true],
                Wanted::Elements | Wanted::Positions => &[false, true],
            };
            directed.extend(directions.iter().map(|&descending| Sort {
                scalar,
                shape: shape.to_vec(),
                axis,
                descending,
                wanted,
            }));
        }
        let code = Code::compile(&directed, form);
        for (index, sort) in directed.iter().enumerate() {
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

const EXTENTS: [u64; 14] = [
    0, 1, 2, 3, 7, 31, 64, 255, 256, 257, 4095, 4096, 4097, 10_007,
];

#[test]
fn every_extent() {
    let sorts = EXTENTS
        .iter()
        .map(|extent| (std::slice::from_ref(extent), 0, Wanted::Elements));
    compare(SortForm::Runs, &sorts.collect::<Vec<_>>());
}

#[test]
fn equal_elements_keep_their_order() {
    let sorts = EXTENTS
        .iter()
        .map(|extent| (std::slice::from_ref(extent), 0, Wanted::Positions));
    compare(SortForm::Runs, &sorts.collect::<Vec<_>>());
}

#[test]
fn every_axis() {
    let shapes: [&[u64]; 6] = [
        &[3, 300],
        &[260, 3],
        &[5, 7, 4],
        &[2, 257, 3],
        &[2, 3, 1, 5],
        &[256, 1, 2, 2],
    ];
    let sorts = shapes.iter().enumerate().flat_map(|(index, &shape)| {
        let wanted = [Wanted::Elements, Wanted::Positions][index % 2];
        (0..shape.len()).map(move |axis| (shape, axis, wanted))
    });
    compare(SortForm::Runs, &sorts.collect::<Vec<_>>());
}

#[test]
fn the_first_ones() {
    compare(
        SortForm::Runs,
        &[
            (&[0], 0, Wanted::Top(0)),
            (&[9], 0, Wanted::Top(1)),
            (&[300], 0, Wanted::Top(0)),
            (&[256], 0, Wanted::Top(1)),
            (&[1000], 0, Wanted::Top(16)),
            (&[1000], 0, Wanted::Top(17)),
            (&[257], 0, Wanted::Top(257)),
            (&[3, 7, 2], 1, Wanted::Top(4)),
            (&[2, 300, 3], 1, Wanted::Top(5)),
            (&[300, 2], 0, Wanted::Top(20)),
        ],
    );
}

/// The general form, also where a host sorts by bytes.
#[test]
fn merges_give_the_same() {
    compare(
        SortForm::Merge,
        &[
            (&[0], 0, Wanted::Elements),
            (&[1], 0, Wanted::Positions),
            (&[7], 0, Wanted::Elements),
            (&[257], 0, Wanted::Elements),
            (&[1000], 0, Wanted::Positions),
            (&[2, 300, 3], 1, Wanted::Elements),
            (&[300, 2], 0, Wanted::Positions),
            (&[2, 260], 1, Wanted::Top(3)),
        ],
    );
}
