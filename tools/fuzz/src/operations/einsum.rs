//! `einsum` of one to four operands.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{NUMBERS, Names, Operation, Place};
use crate::generate::{Maker, Want};
use crate::program::{Operand, Source, Type};

pub const NAMES: Names = &[
    ("einsum of 1", NUMBERS),
    ("einsum of 2", NUMBERS),
    ("einsum of 3", NUMBERS),
    ("einsum of 4", NUMBERS),
];

#[derive(Clone, Debug)]
struct Einsum {
    inputs: Vec<String>,
    output: String,
}

impl Operation for Einsum {
    fn name(&self) -> &'static str {
        match self.inputs.len() {
            1 => "einsum of 1",
            2 => "einsum of 2",
            3 => "einsum of 3",
            _ => "einsum of 4",
        }
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let scalar = operands.first()?.scalar;
        let mut extents = BTreeMap::new();
        for (input, operand) in self.inputs.iter().zip(operands) {
            let shape = operand.shape.as_ref()?;
            if operand.scalar != scalar || !scalar.is_number() || shape.len() != input.len() {
                return None;
            }
            for (letter, &extent) in input.chars().zip(shape) {
                if *extents.entry(letter).or_insert(extent) != extent {
                    return None;
                }
            }
        }
        if self.inputs.len() != operands.len() {
            return None;
        }
        let shape = self
            .output
            .chars()
            .map(|letter| extents.get(&letter).copied());
        let shape: Vec<u64> = shape.collect::<Option<_>>()?;
        Some(vec![match shape.is_empty() {
            true => Type::scalar(scalar),
            false => Type::tensor(scalar, &shape),
        }])
    }

    fn print(&self, operands: &[Operand], _: &str) -> String {
        let (inputs, output) = (self.inputs.join(","), &self.output);
        let operands: Vec<&str> = operands
            .iter()
            .map(|operand| operand.text.as_str())
            .collect();
        format!("einsum(\"{inputs}->{output}\", {})", operands.join(", "))
    }

    fn place(&self) -> Place {
        match self.output.is_empty() {
            true => Place::Runs,
            false => Place::Anywhere,
        }
    }

    fn simpler(&self) -> Vec<Arc<dyn Operation>> {
        // The output's letters in their order, so that they are in no other.
        let mut letters: Vec<char> = self.output.chars().collect();
        letters.sort_unstable();
        let output: String = letters.into_iter().collect();
        match output == self.output {
            true => vec![],
            false => vec![Arc::new(Einsum {
                output,
                ..self.clone()
            })],
        }
    }
}

/// The letters in use, and the extent of each.
#[derive(Default)]
struct Letters(Vec<(char, u64)>);

impl Letters {
    fn new_one(&mut self, extent: u64) -> char {
        let letter = char::from(b'a' + self.0.len() as u8);
        self.0.push((letter, extent));
        letter
    }

    /// A letter for an axis that is there: one of its extent, now and then, or a new one.
    fn of_axis(&mut self, maker: &mut Maker<'_>, extent: u64) -> char {
        let known: Vec<char> = self
            .0
            .iter()
            .filter(|(_, known)| *known == extent)
            .map(|(letter, _)| *letter)
            .collect();
        match !known.is_empty() && maker.random.chance(60) {
            true => maker.random.one(&known),
            false => self.new_one(extent),
        }
    }

    fn points(&self) -> u64 {
        self.0.iter().map(|(_, extent)| extent.max(&1)).product()
    }
}

pub fn make(maker: &mut Maker<'_>) -> Option<()> {
    let first = maker.tensor(|ty| ty.scalar.is_number() && ty.rank() <= 5)?;
    let scalar = maker.type_of(first).scalar;
    let mut letters = Letters::default();
    let mut inputs = Vec::new();
    let mut operands = Vec::new();
    for index in 0..1 + maker.random.weighted(&[(3, 0), (6, 1), (2, 2), (1, 3)]) {
        let (input, operand) = match index {
            0 => named(maker, first, &mut letters),
            _ => match maker.pick(|ty| ty.scalar == scalar && ty.is_tensor() && ty.rank() <= 4) {
                Some(known) if maker.random.chance(30) => named(maker, known, &mut letters),
                _ => other(maker, scalar, &mut letters),
            },
        };
        inputs.push(input);
        operands.push(operand);
    }
    if letters.points() > maker.most_points() || letters.0.len() > 8 {
        return None;
    }
    let mut used: Vec<char> = letters.0.iter().map(|(letter, _)| *letter).collect();
    maker.random.shuffle(&mut used);
    let kept = match maker.random.below(5) {
        0 => 0,
        1 => used.len(),
        _ => maker.random.below(used.len() + 1),
    };
    let output = used[..kept].iter().collect();
    maker.add(Einsum { inputs, output }, &operands)
}

/// Letters for the axes of a value.
fn named(maker: &mut Maker<'_>, value: Source, letters: &mut Letters) -> (String, Source) {
    let ty = maker.type_of(value);
    let input = ty
        .extents()
        .iter()
        .map(|&extent| letters.of_axis(maker, extent))
        .collect();
    (input, value)
}

/// An operand of some letters in use, and of a new one.
fn other(
    maker: &mut Maker<'_>,
    scalar: shared_types::ScalarType,
    letters: &mut Letters,
) -> (String, Source) {
    let mut axes = Vec::new();
    for &known in &letters.0 {
        if axes.len() < 4 && maker.random.chance(50) {
            axes.push(known);
        }
    }
    if axes.len() < 4 && maker.random.chance(50) {
        let extent = maker.small_extent();
        axes.push((letters.new_one(extent), extent));
    }
    maker.random.shuffle(&mut axes);
    let shape: Vec<u64> = axes.iter().map(|(_, extent)| *extent).collect();
    let operand = maker.of_type(&Type::tensor(scalar, &shape), Want::Any);
    let input = axes.iter().map(|(letter, _)| letter).collect();
    (input, operand)
}
