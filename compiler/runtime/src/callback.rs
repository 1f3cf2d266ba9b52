//! The function values that a body calls by their code and their environment (backend
//! specification, §Lowering Rules): the code is a trampoline, the environment holds a closure.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use tensor::{Scalar, TensorError};

use crate::{FunctionSignature, RuntimeError};

/// A function that a body may call. `None` stops the call: nothing is called any more, what the
/// body still calls is answered with zero.
pub type Callback<'a> = dyn Fn(&[Scalar]) -> Option<Scalar> + 'a;

/// The environment of a function value. The trampoline reads the first word.
#[repr(C)]
pub(crate) struct Environment<'a> {
    enter: unsafe extern "C" fn(*const Environment<'a>, *mut u64),
    callback: &'a Callback<'a>,
    signature: &'a FunctionSignature,
    stop: &'a Stop,
}

/// A call of so many arguments allocates nothing: a traversal makes one for each element, of one or
/// two.
const FEW: usize = 4;

/// Whether and why a call has stopped. All its function values share it.
#[derive(Default)]
pub(crate) struct Stop(RefCell<Option<Reason>>);

enum Reason {
    Wanted,
    Panic(Box<dyn Any + Send>),
    Misfit(TensorError),
}

impl<'a> Environment<'a> {
    pub(crate) fn new(
        callback: &'a Callback<'a>,
        signature: &'a FunctionSignature,
        stop: &'a Stop,
    ) -> Self {
        Environment {
            enter,
            callback,
            signature,
            stop,
        }
    }

    fn call(&self, words: &[u64]) -> Result<Scalar, Reason> {
        let FunctionSignature { parameters, result } = self.signature;
        let (mut few, mut many) = ([Scalar::Bool(false); FEW], Vec::new());
        let arguments = match few.get_mut(..parameters.len()) {
            Some(few) => few,
            None => {
                many.resize(parameters.len(), Scalar::Bool(false));
                &mut many[..]
            }
        };
        for ((argument, &scalar), &bits) in arguments.iter_mut().zip(parameters).zip(words) {
            *argument = Scalar::from_bits(scalar, bits).map_err(Reason::Misfit)?;
        }
        // A panic goes on once the body has ended: generated code cannot unwind.
        let answer = catch_unwind(AssertUnwindSafe(|| (self.callback)(arguments)));
        let answer = answer.map_err(Reason::Panic)?.ok_or(Reason::Wanted)?;
        if answer.ty() == *result {
            return Ok(answer);
        }
        Err(Reason::Misfit(TensorError::WrongElement {
            expected: *result,
            found: answer.ty(),
        }))
    }
}

impl Stop {
    /// What comes of the call, now that the body has ended.
    pub(crate) fn outcome(&self, symbol: &str) -> Result<(), RuntimeError> {
        let Some(reason) = self.0.take() else {
            return Ok(());
        };
        let symbol = symbol.to_string();
        match reason {
            Reason::Wanted => Err(RuntimeError::Stopped { symbol }),
            Reason::Misfit(reason) => Err(RuntimeError::Callback { symbol, reason }),
            Reason::Panic(payload) => resume_unwind(payload),
        }
    }
}

/// Calls the closure of an environment with the arguments in `words`, and puts the answer into
/// the first word.
///
/// # Safety
/// The environment is alive, and there are as many words as its signature has parameters, at
/// least one.
unsafe extern "C" fn enter(environment: *const Environment<'_>, words: *mut u64) {
    // SAFETY: as above; nothing else reads the trampoline's words meanwhile.
    let (environment, words) = unsafe {
        let environment = &*environment;
        let count = environment.signature.parameters.len().max(1);
        (environment, std::slice::from_raw_parts_mut(words, count))
    };
    let Stop(stop) = environment.stop;
    let stopped = stop.borrow().is_some();
    words[0] = match stopped {
        true => 0,
        false => match environment.call(words) {
            Ok(answer) => answer.bits(),
            Err(reason) => {
                *stop.borrow_mut() = Some(reason);
                0
            }
        },
    };
}
