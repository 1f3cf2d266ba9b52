//! The matrix product `@`.

use super::{NUMBERS, Names, Operation};
use crate::generate::{Maker, Want};
use crate::program::{Operand, Type};

pub const NAMES: Names = &[("@", NUMBERS)];

#[derive(Debug)]
struct Product;

impl Operation for Product {
    fn name(&self) -> &'static str {
        "@"
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let [left, right] = operands else { return None };
        let (&[rows, k], &[other, columns]) = (left.extents(), right.extents()) else {
            return None;
        };
        let agrees = k == other && left.scalar == right.scalar && left.scalar.is_number();
        agrees.then(|| vec![left.with_shape(&[rows, columns])])
    }

    fn print(&self, operands: &[Operand]) -> String {
        format!("({} @ {})", operands[0].text, operands[1].text)
    }
}

pub fn make(maker: &mut Maker<'_>) -> Option<()> {
    let is_matrix = |ty: &Type| ty.rank() == 2 && ty.scalar.is_number();
    let operand = match maker.pick(is_matrix) {
        Some(matrix) => matrix,
        None => {
            let shape = [maker.extent(), maker.extent()];
            let ty = Type::tensor(maker.number_type(), &shape);
            maker.of_type(&ty, Want::Any)
        }
    };
    let ty = maker.type_of(operand);
    let &[rows, columns] = ty.extents() else {
        return None;
    };
    let extent = maker.extent();
    if rows * columns * extent > maker.most_points() {
        return None;
    }
    let operands = match maker.random.chance(50) {
        true => {
            let right = maker.of_type(&ty.with_shape(&[columns, extent]), Want::Any);
            [operand, right]
        }
        false => {
            let left = maker.of_type(&ty.with_shape(&[extent, rows]), Want::Any);
            [left, operand]
        }
    };
    maker.add(Product, &operands)
}
