//! The matrix product `@`.

use super::{NUMBERS, Names, Operation};
use crate::generate::{Maker, Want};
use crate::program::{Operand, Type};

pub const NAMES: Names = &[("@", NUMBERS)];
pub const ON_HOST: Names = &[("@, packed", NUMBERS)];
pub const ON_DEVICE: Names = &[("@, tiled", NUMBERS)];

#[derive(Debug)]
enum Product {
    Any,
    /// Its operands are so large that the host's schedule copies panels of them.
    Packed,
    /// Its result is so large that a device computes it in tiles.
    Tiled,
}

impl Operation for Product {
    fn name(&self) -> &'static str {
        match self {
            Product::Any => "@",
            Product::Packed => "@, packed",
            Product::Tiled => "@, tiled",
        }
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let [left, right] = operands else { return None };
        let (&[rows, k], &[other, columns]) = (left.extents(), right.extents()) else {
            return None;
        };
        let agrees = k == other && left.scalar == right.scalar && left.scalar.is_number();
        agrees.then(|| vec![left.with_shape(&[rows, columns])])
    }

    fn print(&self, operands: &[Operand], _: &str) -> String {
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
    maker.add(Product::Any, &operands)
}

/// An operand of more bytes is packed, where there are rows and columns for two blocks.
const UNPACKED_BYTES: u64 = 256 * 1024;

/// A product of packed panels, with a small result where the contracted axis is the long one.
pub fn make_packed(maker: &mut Maker<'_>) -> Option<()> {
    let scalar = maker.number_type();
    let bytes = scalar.bytes() as u64;
    let vector = 64 / bytes;
    let rows = maker
        .random
        .weighted(&[(6, 16), (4, 17), (2, 33), (1, 130)]);
    let columns = maker.random.weighted(&[
        (6, vector),
        (4, vector + 1),
        (2, 2 * vector),
        (1, 1024 + vector),
    ]);
    let depth = UNPACKED_BYTES / bytes / rows.max(columns) + 1;
    let depth = depth + maker.random.one(&[0, 1, 7, 64]);
    if rows * columns * depth > maker.most_points() {
        return None;
    }
    let left = maker.parameter(Type::tensor(scalar, &[rows, depth]), Want::Any);
    let right = maker.parameter(Type::tensor(scalar, &[depth, columns]), Want::Any);
    maker.add(Product::Packed, &[left, right])
}

/// A product of many blocks of threads: its extents are multiples of tiles, or beside them.
pub fn make_tiled(maker: &mut Maker<'_>) -> Option<()> {
    let scalar = maker.number_type();
    let sides = [32, 64, 64, 65, 96, 127, 128, 128, 130, 256];
    let (rows, columns) = (maker.random.one(&sides), maker.random.one(&sides));
    let depth = maker.random.one(&[1, 3, 8, 15, 16, 17, 32, 33, 64]);
    if rows * columns * depth > maker.most_points() {
        return None;
    }
    let left = maker.parameter(Type::tensor(scalar, &[rows, depth]), Want::Any);
    let right = maker.parameter(Type::tensor(scalar, &[depth, columns]), Want::Any);
    maker.add(Product::Tiled, &[left, right])
}
