//! Sorts: a stable bottom-up merge sort, one all-parallel generic a doubling of the block's
//! width, each point finding its element by binary search (numerics, §Sorts).

use melior::dialect::arith::{CmpfPredicate, CmpiPredicate};
use melior::ir::{Type, Value};
use neuro_hir::TensorType;
use shared_types::{ScalarType, Span};

use crate::affine::IndexMap;
use crate::at::{At, Built};
use crate::fill::empty;
use crate::generic::{Generic, Iterator};
use crate::merge::{Keys, Merge};
use crate::movement::copy;
use crate::types::{integer_type, scalar_type};
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

/// The elements in order.
pub(crate) fn sort<'c: 'b, 'b>(
    at: At<'c, 'b>,
    source: Value<'c, 'b>,
    order: Order<'_>,
) -> Built<Value<'c, 'b>> {
    let (scalar, extent) = order.parts()?;
    if extent < 2 {
        let map = IndexMap::identity(order.tensor.rank());
        return copy(at, source, map, order.tensor, order.span);
    }
    widths(extent).try_fold(source, |sorted, width| {
        let merge = Merge {
            order,
            scalar,
            extent,
            width,
            carried: sorted,
            keys: Keys::Carried,
        };
        merge.append(at, order.tensor)
    })
}

/// The `i32` positions along the axis that put the elements in order.
pub(crate) fn positions<'c: 'b, 'b>(
    at: At<'c, 'b>,
    source: Value<'c, 'b>,
    order: Order<'_>,
) -> Built<Value<'c, 'b>> {
    let (scalar, extent) = order.parts()?;
    if i32::try_from(extent).is_err() {
        return Unlowered::limit("a sort along more than 2^31 positions", order.span);
    }
    let ty = positions_type(order.tensor);
    let rank = ty.rank();
    let unordered = Generic {
        iterators: vec![Iterator::Parallel; rank],
        inputs: vec![],
        output: (empty(at, &ty, order.span)?, IndexMap::identity(rank)),
    };
    let unordered = unordered.append(at, |at, _| {
        let position = at.dimension(order.axis)?;
        at.emit(
            "arith.index_cast",
            &[position],
            integer_type(at.context, 32),
        )
    })?;
    widths(extent).try_fold(unordered, |ordered, width| {
        let merge = Merge {
            order,
            scalar,
            extent,
            width,
            carried: ordered,
            keys: Keys::At(source),
        };
        merge.append(at, &ty)
    })
}

/// The first `k` elements of an order, and their positions.
pub(crate) fn top<'c: 'b, 'b>(
    at: At<'c, 'b>,
    source: Value<'c, 'b>,
    order: Order<'_>,
    k: u64,
) -> Built<[(Value<'c, 'b>, TensorType); 2]> {
    let (scalar, extent) = order.parts()?;
    let shape = order.tensor.static_extents().unwrap_or_default();
    if k > extent {
        return Unlowered::refused("more elements than the axis has", order.span);
    }
    let mut first = shape.clone();
    first[order.axis] = k;
    let [elements, places] = [scalar, ScalarType::I32].map(|ty| TensorType::new(ty, &first));
    let ordered = positions(at, source, order)?;
    let gather = |ty: &TensorType, by_place: bool| {
        let rank = ty.rank();
        let generic = Generic {
            iterators: vec![Iterator::Parallel; rank],
            inputs: vec![],
            output: (empty(at, ty, order.span)?, IndexMap::identity(rank)),
        };
        generic.append(at, |at, _| {
            let point = (0..rank).map(|dimension| at.dimension(dimension));
            let mut point = point.collect::<Built<Vec<_>>>()?;
            point.insert(0, ordered);
            let place = at.emit("tensor.extract", &point, integer_type(at.context, 32))?;
            if by_place {
                return Ok(place);
            }
            point[0] = source;
            point[1 + order.axis] =
                at.emit("arith.index_cast", &[place], Type::index(at.context))?;
            at.emit("tensor.extract", &point, scalar_type(at.context, scalar))
        })
    };
    let top = gather(&elements, false)?;
    let at = gather(&places, true)?;
    Ok([(top, elements), (at, places)])
}

/// The type of [`positions`].
pub(crate) fn positions_type(tensor: &TensorType) -> TensorType {
    TensorType::with_extents(ScalarType::I32, tensor.extents())
}

impl Order<'_> {
    /// The element type, and the extent of the axis.
    fn parts(&self) -> Built<(ScalarType, u64)> {
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

    /// Whether `left` stands strictly before `right`; both widened. A NaN stands after every
    /// number, whichever the direction.
    pub(crate) fn before<'c: 'r, 'r>(
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

/// The widths of the sorted blocks before each merge.
fn widths(extent: u64) -> impl std::iter::Iterator<Item = u64> {
    std::iter::successors(Some(1u64), |width| width.checked_mul(2))
        .take_while(move |&width| width < extent)
}
