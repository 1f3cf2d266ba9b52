use neuro_hir::{GridIndex, HirFunction};
use shared_types::Span;
use tensor::Scalar;

use super::{At, Stop};
use crate::interpreter::{internal, is_mutable_reference};
use crate::{Failure, Interpreter, Value};

/// The thread of a kernel that runs.
#[derive(Clone, Debug)]
pub(crate) struct Thread {
    /// Its position in the whole grid, along each axis of the block shape.
    position: Vec<u64>,
    /// The position of its block.
    block: Vec<u64>,
}

impl<'p> Interpreter<'p, '_> {
    /// Runs a kernel over the grid of its first `&mut` tensor, a thread at a time in row-major
    /// order of their positions (numerics, §Integer checks). `threads` is the block shape.
    pub(crate) fn launch(
        &mut self,
        kernel: &'p HirFunction,
        threads: &[u32],
        arguments: Vec<Value<'p>>,
        call: Span,
    ) -> Result<(), Failure> {
        let shape = grid_tensor_shape(kernel, &arguments, call)?;
        let mut extents = Vec::new();
        for (axis, &threads) in threads.iter().enumerate() {
            let extent = shape.get(axis).copied().unwrap_or(1);
            let threads = u64::from(threads.max(1));
            // The threads past the extent run too: a kernel guards them.
            extents.push(extent.div_ceil(threads).saturating_mul(threads));
        }
        let mut position = vec![0; extents.len()];
        let mut more = !extents.contains(&0);
        while more {
            let blocks = position.iter().zip(threads);
            let block = blocks.map(|(at, &threads)| at / u64::from(threads.max(1)));
            self.thread = Some(Thread {
                block: block.collect(),
                position: position.clone(),
            });
            let result = self.run_body(kernel, arguments.clone(), call);
            self.thread = None;
            result.map_err(|failure| in_thread(failure, &position))?;
            more = step(&mut position, &extents);
        }
        Ok(())
    }

    /// An axis that the block shape lacks has one position.
    pub(super) fn grid_index(
        &self,
        of: GridIndex,
        axis: usize,
        span: Span,
    ) -> Result<Value<'p>, Stop<'p>> {
        let thread = self
            .thread
            .as_ref()
            .ok_or_else(|| internal(span, "a grid index stands outside of a kernel"))?;
        let positions = match of {
            GridIndex::Thread => &thread.position,
            GridIndex::Block => &thread.block,
        };
        let index = positions.get(axis).copied().unwrap_or(0);
        Ok(Scalar::I64(index as i64).into())
    }
}

/// To the next position in row-major order; `false` after the last.
fn step(position: &mut [u64], extents: &[u64]) -> bool {
    for (at, &extent) in position.iter_mut().zip(extents).rev() {
        *at += 1;
        if *at < extent {
            return true;
        }
        *at = 0;
    }
    false
}

fn grid_tensor_shape(
    kernel: &HirFunction,
    arguments: &[Value<'_>],
    call: Span,
) -> Result<Vec<u64>, Failure> {
    for (parameter, argument) in kernel.parameters().iter().zip(arguments) {
        if is_mutable_reference(&parameter.ty)
            && let Value::Reference(place) = argument
            && let Value::Tensor(tensor) = place.load().at(call)?.at_hand(call)?
        {
            return Ok(tensor.shape().to_vec());
        }
    }
    Err(internal(call, "a kernel has no `&mut` tensor"))
}

fn in_thread(failure: Failure, position: &[u64]) -> Failure {
    match failure {
        Failure::Panic(mut panic) => {
            panic.thread.get_or_insert_with(|| position.to_vec());
            Failure::Panic(panic)
        }
        other @ (Failure::Host(_) | Failure::Internal { .. }) => other,
    }
}
