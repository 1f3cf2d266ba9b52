use melior::ir::attribute::ArrayAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, IntegerType, MemRefType, ShapedTypeLike};
use melior::ir::{RegionLike, Type, TypeLike, ValueLike};
use mlir_pipeline::{Access, access, is_diagonal};

/// What a `linalg.generic` on buffers does, as far as its schedule depends on it.
#[derive(Clone, Debug)]
pub(crate) struct Nest {
    pub extents: Vec<u64>,
    /// Whether each dimension folds.
    pub folds: Vec<bool>,
    /// The buffers that it reads.
    pub inputs: Vec<Access>,
    pub output: Access,
    /// Whether a step may be computed for many points at once: it is arithmetic alone, of elements
    /// that vectors hold as memory does.
    pub fits_vectors: bool,
    /// Whether steps are of integers, without checks.
    pub folds_in_any_order: bool,
    pub has_one_result: bool,
    /// Whether a step computes, and does nothing else.
    pub is_pure: bool,
}

impl Nest {
    pub(crate) fn read<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> Option<Nest> {
        if operation.name().as_string_ref().as_str() != Ok("linalg.generic") {
            return None;
        }
        let iterators =
            ArrayAttribute::try_from(operation.attribute("iterator_types").ok()?).ok()?;
        let folds: Vec<bool> = (0..iterators.len())
            .map(|index| {
                Some(
                    iterators
                        .element(index)
                        .ok()?
                        .to_string()
                        .contains("reduction"),
                )
            })
            .collect::<Option<_>>()?;
        let maps = ArrayAttribute::try_from(operation.attribute("indexing_maps").ok()?).ok()?;

        let mut extents = vec![None; folds.len()];
        let mut operands = Vec::new();
        let mut types = Vec::new();
        for (index, operand) in operation.operands().enumerate() {
            let access = access(maps.element(index).ok()?)?;
            if is_diagonal(&access) {
                return None;
            }
            let Ok(buffer) = MemRefType::try_from(operand.r#type()) else {
                continue;
            };
            for (axis, dimension) in access.iter().enumerate() {
                if let Some(dimension) = dimension {
                    let Ok(DimSize::Static(extent)) = buffer.dim_size(axis) else {
                        return None;
                    };
                    *extents.get_mut(*dimension)? = Some(extent);
                }
            }
            operands.push(access);
            types.push(buffer.element());
        }
        let (output, inputs) = operands.split_last()?;
        let result = *types.last()?;
        let body = Body::read(operation)?;
        Some(Nest {
            extents: extents.into_iter().collect::<Option<_>>()?,
            folds,
            inputs: inputs.to_vec(),
            output: output.clone(),
            fits_vectors: body.is_arithmetic && types.iter().all(|&ty| has_whole_bytes(ty)),
            folds_in_any_order: result.is_integer() && !body.branches,
            has_one_result: body.results == 1,
            is_pure: body.is_pure,
        })
    }

    /// The dimension along which elements of an operand follow each other in memory.
    pub(crate) fn contiguous(&self, operand: &Access) -> Option<usize> {
        let walks =
            |axis: &&Option<usize>| axis.is_none_or(|dimension| self.extents[dimension] > 1);
        *operand.iter().rfind(walks)?
    }
}

struct Body {
    is_arithmetic: bool,
    branches: bool,
    is_pure: bool,
    results: usize,
}

impl Body {
    fn read<'c: 'a, 'a>(generic: &impl OperationLike<'c, 'a>) -> Option<Body> {
        let mut body = Body {
            is_arithmetic: true,
            branches: false,
            is_pure: true,
            results: 0,
        };
        let mut next = generic.region(0).ok()?.first_block()?.first_operation();
        while let Some(operation) = next {
            let name = operation.name();
            let name = name.as_string_ref().as_str().ok()?;
            body.is_arithmetic &= is_arithmetic(name);
            body.is_pure &= ["arith.", "math.", "linalg."]
                .iter()
                .any(|start| name.starts_with(start));
            body.branches |= name == "scf.if";
            // The last operation yields.
            body.results = operation.operand_count();
            next = operation.next_in_block();
        }
        Some(body)
    }
}

/// Operations that processors have for vectors, and that compute each element by itself.
fn is_arithmetic(name: &str) -> bool {
    match name {
        "arith.remf" | "arith.divsi" | "arith.divui" | "arith.remsi" | "arith.remui" => false,
        "math.sqrt" | "math.absf" | "linalg.yield" => true,
        _ => name.starts_with("arith."),
    }
}

/// A vector of `i1` is a mask, and no row of bytes as in memory.
fn has_whole_bytes(element: Type<'_>) -> bool {
    IntegerType::try_from(element).map_or(true, |integer| integer.width() >= 8)
}
