//! Integer checks: a failed one lowers the status word to a key whose smallest value is the
//! failure that the host would have met first (numerics, §Integer checks).

use ast_types::BinaryOp;
use melior::dialect::arith::CmpiPredicate;
use melior::ir::block::BlockLike;
use melior::ir::r#type::MemRefType;
use melior::ir::{Type, Value};
use neuro_hir::{TensorType, Tier};
use shared_types::{ScalarType, Span};

use crate::affine::IndexMap;
use crate::at::{At, Built};
use crate::contraction_shape::ContractionShape;
use crate::fill::empty;
use crate::generic::Generic;
use crate::types::integer_type;
use crate::unlowered::Unlowered;

/// One check of a body. Check `n` of the status word is the `n`-th of the body, from 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The operation's number in the body, from 0.
    pub operation: u16,
    pub operator: BinaryOp,
    pub kind: CheckKind,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CheckKind {
    Overflow,
    ZeroDivisor,
}

/// The points of an operation: its result's, and for each of them those that fold into it. A
/// key's position counts them row-major, the folded ones fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IterationSpace {
    pub result: Vec<u64>,
    pub folded: Vec<u64>,
}

const OPERATION_SHIFT: u32 = 52;
/// The largest number of a check, and one more than that of an operation.
const LIMIT: usize = 4095;
const MAXIMUM_POSITIONS: u64 = 1 << 40;

/// The checks of one body while it is built.
pub(crate) struct Checks<'c, 'b> {
    /// The function's entry, which takes the status word as one more argument when it is needed.
    entry: At<'c, 'b>,
    tier: Option<Tier>,
    status: Option<Value<'c, 'b>>,
    pub list: Vec<Check>,
    pub spaces: Vec<IterationSpace>,
    /// The first operation whose number no key holds.
    unnumbered: Option<Span>,
    /// The contractions that are scheduled.
    pub contractions: Vec<ContractionShape>,
}

/// Where a check stands: an operation, and the position of the point within it.
#[derive(Clone, Copy)]
pub(crate) struct Point<'c, 'r> {
    operation: usize,
    /// Counted over the operation's [`IterationSpace`], `i64`; none where nothing is checked.
    position: Option<Value<'c, 'r>>,
}

impl<'c: 'b, 'b> Checks<'c, 'b> {
    /// Without a tier nothing is checked: the module is text to read, not a body to link.
    pub(crate) fn new(entry: At<'c, 'b>, tier: Option<Tier>) -> Self {
        Checks {
            entry,
            tier,
            status: None,
            list: Vec::new(),
            spaces: Vec::new(),
            unnumbered: None,
            contractions: Vec::new(),
        }
    }

    /// Whether a body with integer division and without other checks has some.
    pub(crate) fn division(&self) -> bool {
        self.tier.is_some()
    }

    pub(crate) fn overflow(&self) -> bool {
        self.tier == Some(Tier::Checked)
    }

    /// Whether the body is one to link, not text to read.
    pub(crate) fn is_linked(&self) -> bool {
        self.tier.is_some()
    }

    /// Numbers a contraction for the schedule, and gives the tags of its fill and of itself.
    pub(crate) fn contraction(&mut self, shape: ContractionShape) -> [String; 2] {
        let number = self.contractions.len();
        self.contractions.push(ContractionShape { number, ..shape });
        [
            ContractionShape::fill_tag(number),
            ContractionShape::product_tag(number),
        ]
    }

    /// Numbers the next operation.
    pub(crate) fn operation(&mut self, space: IterationSpace, span: Span) -> Built<usize> {
        let number = self.spaces.len();
        if number >= LIMIT {
            self.unnumbered.get_or_insert(span);
        }
        if !self.list.is_empty() {
            self.all_numbered()?;
        }
        self.spaces.push(space);
        Ok(number)
    }

    /// Only a body with checks has a limit on its operations: no other writes a status word.
    fn all_numbered(&self) -> Built<()> {
        match self.unnumbered {
            Some(span) => Unlowered::limit("a body with checks and over 4,095 operations", span),
            None => Ok(()),
        }
    }

    /// The place of a check in the region of operation `number`. `dimensions` are the loop's
    /// dimensions in the order of the operation's space.
    pub(crate) fn point<'r>(
        &self,
        at: At<'c, 'r>,
        number: usize,
        dimensions: &[usize],
        span: Span,
    ) -> Built<Point<'c, 'r>> {
        let space = &self.spaces[number];
        let extents: Vec<u64> = space.result.iter().chain(&space.folded).copied().collect();
        let points = extents
            .iter()
            .try_fold(1u64, |n, &extent| n.checked_mul(extent));
        if points.is_none_or(|points| points > MAXIMUM_POSITIONS) {
            return Unlowered::limit("a checked operation of more than 2^40 positions", span);
        }
        let index = Type::index(at.context);
        let mut position: Option<Value> = None;
        for (&dimension, &extent) in dimensions.iter().zip(&extents) {
            let here = at.dimension(dimension)?;
            position = Some(match position {
                None => here,
                Some(outer) => {
                    let scaled = at.emit("arith.muli", &[outer, at.index(extent)?], index)?;
                    at.emit("arith.addi", &[scaled, here], index)?
                }
            });
        }
        let wide = integer_type(at.context, 64);
        let position = match position {
            Some(position) => at.emit("arith.index_cast", &[position], wide)?,
            None => at.integer(64, 0)?,
        };
        Ok(Point {
            operation: number,
            position: Some(position),
        })
    }

    /// A place where nothing is checked.
    pub(crate) fn unchecked<'r>() -> Point<'c, 'r> {
        Point {
            operation: 0,
            position: None,
        }
    }

    /// `value`, after a check that fails where `failed` is true.
    pub(crate) fn check<'r>(
        &mut self,
        at: At<'c, 'r>,
        point: Point<'c, 'r>,
        failed: Value<'c, 'r>,
        value: Value<'c, 'r>,
        (operator, kind, span): (BinaryOp, CheckKind, Span),
    ) -> Built<Value<'c, 'r>> {
        let Some(position) = point.position else {
            return Ok(value);
        };
        if self.list.len() >= LIMIT {
            return Unlowered::limit("a body of more than 4,095 checks", span);
        }
        self.all_numbered()?;
        self.list.push(Check {
            operation: point.operation as u16,
            operator,
            kind,
            span,
        });
        let check = mlir_pipeline::Check {
            value,
            failed,
            position,
            word: self.status(),
            key: (point.operation as i64) << OPERATION_SHIFT | self.list.len() as i64,
        };
        at.value(check.operation(at.context, at.location))
    }

    /// Whether no check before this place has failed; `None` where there is no check before it.
    pub(crate) fn intact<'r>(&self, at: At<'c, 'r>) -> Built<Option<Value<'c, 'r>>> {
        let Some(word) = self.word(at)? else {
            return Ok(None);
        };
        Checks::holds(at, word).map(Some)
    }

    /// Whether the status word is as it was in the beginning.
    pub(crate) fn holds<'r>(at: At<'c, 'r>, word: Value<'c, 'r>) -> Built<Value<'c, 'r>> {
        let nothing_failed = at.integer(64, -1)?;
        let equal = CmpiPredicate::Eq as i64;
        at.compare("arith.cmpi", equal, word, nothing_failed)
    }

    /// The status word before the operations that follow, as a tensor of rank 0; `None` where there
    /// is no check before it.
    pub(crate) fn noted(&self, at: At<'c, 'b>, span: Span) -> Built<Option<Value<'c, 'b>>> {
        if self.status.is_none() {
            return Ok(None);
        }
        let word = TensorType::new(ScalarType::I64, &[]);
        let generic = Generic {
            iterators: Vec::new(),
            inputs: Vec::new(),
            output: (empty(at, &word, span)?, IndexMap::identity(0)),
        };
        let noted = generic.append(at, |at, elements| Ok(self.word(at)?.unwrap_or(elements[0])));
        noted.map(Some)
    }

    fn word<'r>(&self, at: At<'c, 'r>) -> Built<Option<Value<'c, 'r>>> {
        let Some(status) = self.status else {
            return Ok(None);
        };
        let word = at.emit("memref.load", &[status], integer_type(at.context, 64))?;
        Ok(Some(word))
    }

    /// The status word, `memref<i64>`, after the operands.
    pub(crate) fn status(&mut self) -> Value<'c, 'b> {
        let entry = self.entry;
        *self.status.get_or_insert_with(|| {
            let word = integer_type(entry.context, 64);
            let ty = MemRefType::new(word, &[], None, None);
            entry.block.add_argument(ty.into(), entry.location)
        })
    }
}
