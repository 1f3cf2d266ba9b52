//! Well-typed functions over tensors of one element type.

use shared_types::ScalarType;

use crate::choices::Choices;

/// A function as source, and what its parameters want.
pub struct Function {
    pub source: String,
    pub parameters: Vec<Parameter>,
}

/// A parameter of the function's element type; no shape is a scalar.
#[derive(Clone, PartialEq)]
pub struct Parameter {
    pub shape: Option<Vec<u64>>,
    /// It divides: zeros in it are rare.
    pub divisor: bool,
}

const SHAPES: [&[u64]; 12] = [
    &[3],
    &[2, 3],
    &[],
    &[1],
    &[0],
    &[3, 0],
    &[1, 5],
    &[67],
    &[7, 13],
    &[2, 3, 5],
    &[2, 1, 4, 3],
    &[33, 31],
];

/// A run of more than 4,096 elements folds in lanes.
const LONG: [u64; 3] = [4096, 4097, 9001];
const SHORT: [u64; 5] = [3, 1, 2, 17, 64];

pub fn function(name: &str, scalar: ScalarType, choices: &mut Choices<'_>) -> Function {
    let mut maker = Maker {
        scalar,
        choices,
        parameters: Vec::new(),
    };
    let shape = maker.choices.of(&SHAPES).to_vec();
    let depth = 1 + maker.choices.index(4);
    let whole = maker.choices.index(8);
    let (result, value) = match whole {
        7 => (scalar.to_string(), maker.fold_whole(&shape, depth)),
        _ => (tensor(scalar, &shape), maker.expression(&shape, depth)),
    };
    // A parameter is borrowed, and a result is not.
    let value = match value.starts_with('p') {
        true => format!("{value}.clone()"),
        false => value,
    };
    // Beside a statement of the host's, the operation is outlined.
    let before = match maker.choices.index(3) {
        2 => "print(0)\n    ",
        _ => "",
    };
    let parameters: Vec<String> = maker
        .parameters
        .iter()
        .enumerate()
        .map(|(index, parameter)| match &parameter.shape {
            Some(shape) => format!("p{index}: &{}", tensor(scalar, shape)),
            None => format!("p{index}: {scalar}"),
        })
        .collect();
    let parameters = parameters.join(", ");
    Function {
        source: format!("func {name}({parameters}) -> {result} {{\n    {before}{value}\n}}\n"),
        parameters: maker.parameters,
    }
}

fn tensor(scalar: ScalarType, shape: &[u64]) -> String {
    format!("Tensor<{scalar}, {shape:?}>")
}

struct Maker<'c, 'a> {
    scalar: ScalarType,
    choices: &'c mut Choices<'a>,
    parameters: Vec<Parameter>,
}

impl Maker<'_, '_> {
    /// An expression for a tensor of this shape.
    fn expression(&mut self, shape: &[u64], depth: usize) -> String {
        if depth == 0 {
            return self.leaf(shape, false);
        }
        match self.choices.index(12) {
            0 => self.leaf(shape, false),
            1..=4 => self.arithmetic(shape, depth),
            5 | 6 => self.mathematics(shape, depth),
            7 => self.fold(shape, depth),
            8 => self.product(shape, depth),
            9 => self.einsum(shape, depth),
            10 => self.sort(shape, depth),
            _ => self.movement(shape, depth),
        }
    }

    /// A parameter, often one that there is already.
    fn leaf(&mut self, shape: &[u64], divisor: bool) -> String {
        let wanted = Parameter {
            shape: Some(shape.to_vec()),
            divisor,
        };
        let index = self.choices.chance(70);
        let known = self.parameters.iter().position(|known| *known == wanted);
        match known {
            Some(known) if index => format!("p{known}"),
            _ => self.parameter(wanted),
        }
    }

    fn parameter(&mut self, parameter: Parameter) -> String {
        self.parameters.push(parameter);
        format!("p{}", self.parameters.len() - 1)
    }

    fn number(&mut self, divisor: bool) -> String {
        if self.choices.chance(50) {
            return self.parameter(Parameter {
                shape: None,
                divisor,
            });
        }
        match self.scalar.is_float() {
            true => self
                .choices
                .of(&["2.0", "0.1", "1.0", "-0.0", "3e-5", "1e4"]),
            false => self.choices.of(&["2", "1", "7", "100"]),
        }
        .to_string()
    }

    fn arithmetic(&mut self, shape: &[u64], depth: usize) -> String {
        let op = self.choices.of(&["+", "*", "-", "/", "%"]);
        let divisor = matches!(op, "/" | "%");
        if self.choices.chance(25) {
            let number = self.number(divisor);
            let tensor = self.expression(shape, depth - 1);
            return match divisor || self.choices.chance(50) {
                true => format!("({tensor} {op} {number})"),
                false => format!("({number} {op} {tensor})"),
            };
        }
        // One operand has the result's shape, the other may be stretched to it.
        let narrow = self.narrowed(shape);
        let stretched = self.choices.chance(50);
        let (left, right) = match self.choices.index(2) {
            0 if stretched => (shape, &narrow[..]),
            1 if stretched => (&narrow[..], shape),
            _ => (shape, shape),
        };
        let left = self.expression(left, depth - 1);
        let right = match divisor && !self.scalar.is_float() {
            true => self.leaf(right, true),
            false => self.expression(right, depth - 1),
        };
        format!("({left} {op} {right})")
    }

    /// A shape that broadcasts to this one.
    fn narrowed(&mut self, shape: &[u64]) -> Vec<u64> {
        let dropped = self.choices.index(shape.len() + 1);
        let kept = shape[dropped..].iter();
        kept.map(|&extent| if self.choices.chance(30) { 1 } else { extent })
            .collect()
    }

    fn mathematics(&mut self, shape: &[u64], depth: usize) -> String {
        let operand = self.expression(shape, depth - 1);
        if !self.scalar.is_float() {
            return match self.scalar.is_signed() {
                true => format!("(-{operand})"),
                false => operand,
            };
        }
        let function = self.choices.of(&[
            "neg", "abs", "sqrt", "sign", "exp", "log", "sin", "cos", "tanh", "pow",
        ]);
        match function {
            "neg" => format!("(-{operand})"),
            "pow" => {
                let exponent = self.number(false);
                format!("({operand}).pow({exponent})")
            }
            function => format!("({operand}).{function}()"),
        }
    }

    fn reduction(&mut self, extent: u64) -> &'static str {
        let some = ["sum", "max", "min", "mean"];
        let kinds = if self.scalar.is_float() { 4 } else { 3 };
        match extent {
            // Of nothing there is no greatest.
            0 => "sum",
            _ => self.choices.of(&some[..kinds]),
        }
    }

    fn fold(&mut self, shape: &[u64], depth: usize) -> String {
        let small = shape.iter().product::<u64>() <= 8;
        let extent = match small && self.choices.chance(40) {
            true => self.choices.of(&LONG),
            false => self.choices.of(&[5, 0, 1, 2, 11]),
        };
        let axis = self.choices.index(shape.len() + 1);
        let mut folded = shape.to_vec();
        folded.insert(axis, extent);
        let op = self.reduction(extent);
        let depth = if extent > 64 { depth.min(2) } else { depth };
        let operand = self.expression(&folded, depth - 1);
        format!("({operand}).{op}(axis: {axis})")
    }

    fn fold_whole(&mut self, shape: &[u64], depth: usize) -> String {
        let op = self.reduction(shape.iter().product());
        let operand = self.expression(shape, depth);
        format!("({operand}).{op}()")
    }

    fn product(&mut self, shape: &[u64], depth: usize) -> String {
        let &[rows, columns] = shape else {
            return self.arithmetic(shape, depth);
        };
        let contracted = match self.choices.chance(10) {
            true => 0,
            false => self.choices.of(&SHORT),
        };
        let left = self.expression(&[rows, contracted], depth - 1);
        let right = self.expression(&[contracted, columns], depth - 1);
        format!("({left} @ {right})")
    }

    /// Two operands whose letters are the result's and up to two that fold.
    fn einsum(&mut self, shape: &[u64], depth: usize) -> String {
        if shape.is_empty() {
            return self.arithmetic(shape, depth);
        }
        let mut extents = shape.to_vec();
        for _ in 0..self.choices.index(3) {
            extents.push(self.choices.of(&[3, 1, 2, 0]));
        }
        let mut operands = [(String::new(), vec![]), (String::new(), vec![])];
        for (letter, &extent) in ('a'..='z').zip(&extents) {
            // In the left one, the right one, or both.
            let place = self.choices.index(3);
            for (index, (letters, shape)) in operands.iter_mut().enumerate() {
                if place == 2 || place == index {
                    letters.push(letter);
                    shape.push(extent);
                }
            }
        }
        let output: String = ('a'..='z').take(shape.len()).collect();
        let [(left, left_shape), (right, right_shape)] = operands;
        let a = self.expression(&left_shape, depth - 1);
        let b = self.expression(&right_shape, depth - 1);
        format!("einsum(\"{left},{right}->{output}\", {a}, {b})")
    }

    fn sort(&mut self, shape: &[u64], depth: usize) -> String {
        // A merge for each doubling takes long to compile.
        if shape.is_empty() || shape.iter().any(|&extent| extent > 64) {
            return self.arithmetic(shape, depth);
        }
        let axis = self.choices.index(shape.len());
        let descending = self.choices.chance(50);
        let operand = self.expression(shape, depth - 1);
        format!("({operand}).sort(axis: {axis}, descending: {descending})")
    }

    /// The elements of another shape, elsewhere.
    fn movement(&mut self, shape: &[u64], depth: usize) -> String {
        match (self.choices.index(3), shape) {
            (0, &[rows, columns]) => {
                let operand = self.expression(&[columns, rows], depth - 1);
                format!("({operand}).t()")
            }
            (1, &[first, ref rest @ ..]) => {
                let whole: Vec<u64> = [&[first + 2], rest].concat();
                let operand = self.expression(&whole, depth - 1);
                let others = ", ..".repeat(rest.len());
                let range = match self.choices.index(2) {
                    0 => format!("1..{}", first + 1),
                    _ => format!("(1..{}).rev()", first + 1),
                };
                format!("({operand})[{range}{others}]")
            }
            _ => {
                let elements: u64 = shape.iter().product();
                let operand = self.expression(&[elements], depth - 1);
                format!("({operand}).reshape({shape:?})")
            }
        }
    }
}
