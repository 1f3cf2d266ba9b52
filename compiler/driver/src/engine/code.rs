use std::collections::HashMap;

use mlir_backend::internal::{Body, Refusal};
use runtime::{RuntimeError, Signature};

use super::jit::signature;
use crate::Fault;

/// What an engine has of a program's operations, by their functions.
pub(super) struct Code<J> {
    /// `None` where no operation has a body.
    pub jit: Option<J>,
    pub bodies: HashMap<String, Body>,
    pub refused: HashMap<String, Refusal>,
}

impl<J> Code<J> {
    pub(super) fn load(
        bodies: Vec<Body>,
        refused: Vec<Refusal>,
        load: impl FnOnce(&[Signature]) -> Result<J, RuntimeError>,
    ) -> Result<Code<J>, Fault> {
        let signatures = bodies.iter().map(signature).collect::<Vec<_>>();
        let jit = match signatures.as_slice() {
            [] => None,
            signatures => {
                Some(load(signatures).map_err(|error| Fault::internal(None, error.to_string()))?)
            }
        };
        let (bodies, refused) = (bodies.into_iter(), refused.into_iter());
        Ok(Code {
            jit,
            bodies: bodies.map(|body| (body.function.clone(), body)).collect(),
            refused: refused
                .map(|one| (one.function.name.clone(), one))
                .collect(),
        })
    }
}
