use melior::dialect::arith::{CmpfPredicate, CmpiPredicate};
use melior::ir::Value;
use neuro_hir::TensorType;
use shared_types::{ScalarType, Span};

use crate::at::{At, Built};
use crate::types::integer_type;
use crate::unlowered::Unlowered;

/// An order along an axis.
#[derive(Clone, Copy)]
pub(crate) struct Order<'t> {
    /// What is ordered; all extents static.
    pub tensor: &'t TensorType,
    pub axis: usize,
    pub descending: bool,
    pub span: Span,
}

impl Order<'_> {
    /// The element type, and the extent of the axis.
    pub(super) fn parts(&self) -> Built<(ScalarType, u64)> {
        let scalar = self.tensor.scalar().filter(|scalar| scalar.is_number());
        let extents = self.tensor.static_extents();
        match (
            scalar,
            extents
                .as_deref()
                .and_then(|extents| extents.get(self.axis)),
        ) {
            (Some(scalar), Some(&extent)) => Ok((scalar, extent)),
            _ => Unlowered::refused("no axis of numbers to sort", self.span),
        }
    }

    /// A tensor of `scalar` with `k` in place of the axis's extent.
    pub(super) fn first(&self, scalar: ScalarType, k: u64) -> TensorType {
        let mut extents = self.tensor.static_extents().unwrap_or_default();
        extents[self.axis] = k;
        TensorType::new(scalar, &extents)
    }

    /// Whether `left` stands strictly before `right`; both widened. A NaN stands after every
    /// number, whichever the direction.
    pub(super) fn before<'c: 'r, 'r>(
        &self,
        at: At<'c, 'r>,
        scalar: ScalarType,
        left: Value<'c, 'r>,
        right: Value<'c, 'r>,
    ) -> Built<Value<'c, 'r>> {
        if scalar.is_integer() {
            let predicate = match (self.descending, scalar.is_signed()) {
                (false, true) => CmpiPredicate::Slt,
                (false, false) => CmpiPredicate::Ult,
                (true, true) => CmpiPredicate::Sgt,
                (true, false) => CmpiPredicate::Ugt,
            };
            return at.compare("arith.cmpi", predicate as i64, left, right);
        }
        let float = |predicate: CmpfPredicate, left, right| {
            at.compare("arith.cmpf", predicate as i64, left, right)
        };
        let beyond = match self.descending {
            false => CmpfPredicate::Olt,
            true => CmpfPredicate::Ogt,
        };
        let flag = integer_type(at.context, 1);
        let beyond = float(beyond, left, right)?;
        let is_number = float(CmpfPredicate::Ord, left, left)?;
        let against_nan = float(CmpfPredicate::Uno, right, right)?;
        let last = at.emit("arith.andi", &[is_number, against_nan], flag)?;
        at.emit("arith.ori", &[beyond, last], flag)
    }
}
