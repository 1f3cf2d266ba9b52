use std::collections::HashMap;
use std::ffi::CString;

use codegen::{Compiled, Parameter, Processor, Signature, compile};

use crate::lljit::LoadedObject;
use crate::packed::{add_packed_entry, packed_name};
use crate::scratch::check_available;
use crate::{Argument, RuntimeError};

/// The bodies of a program as code of the host.
pub struct Jit {
    bodies: HashMap<String, Body>,
    /// Holds the code that the bodies' addresses point to.
    _code: LoadedObject,
}

struct Body {
    entry: PackedEntry,
    parameters: Vec<Parameter>,
    /// What the body allocates while it runs, in bytes.
    scratch: usize,
}

/// The type of what [`add_packed_entry`] makes.
type PackedEntry = unsafe extern "C" fn(*const u64);

impl Jit {
    /// Compiles a module at `-O3` for this machine's processor, and loads it.
    ///
    /// `ir` is LLVM IR as text that defines a body for each signature; that the bodies touch only
    /// what their arguments give them is taken from the backend that made them.
    pub fn load(ir: &str, signatures: &[Signature]) -> Result<Jit, RuntimeError> {
        let processor = Processor::native();
        let Compiled { object, scratch } =
            compile(ir, signatures, &processor, |module, function, signature| {
                add_packed_entry(module, function, &signature.symbol)
            })?;
        let code = LoadedObject::load(object)?;
        let mut bodies = HashMap::new();
        for (signature, scratch) in signatures.iter().zip(scratch) {
            let name = CString::new(packed_name(&signature.symbol))
                .map_err(|_| RuntimeError::UnknownSymbol(signature.symbol.clone()))?;
            let address = code.address(&name)?;
            // SAFETY: that is the address of a function of this type, which was added above.
            let entry = unsafe { std::mem::transmute::<usize, PackedEntry>(address) };
            let body = Body {
                entry,
                parameters: signature.parameters.clone(),
                scratch,
            };
            bodies.insert(signature.symbol.clone(), body);
        }
        Ok(Jit {
            bodies,
            _code: code,
        })
    }

    /// Runs a body. Nothing runs unless the arguments are exactly what it takes.
    pub fn call(&self, symbol: &str, arguments: &mut [Argument<'_>]) -> Result<(), RuntimeError> {
        let body = self
            .bodies
            .get(symbol)
            .ok_or_else(|| RuntimeError::UnknownSymbol(symbol.to_string()))?;
        if arguments.len() != body.parameters.len() {
            return Err(RuntimeError::ArgumentCount {
                symbol: symbol.to_string(),
                expected: body.parameters.len(),
                found: arguments.len(),
            });
        }
        let count = body.parameters.iter().map(Parameter::word_count).sum();
        let mut words = Vec::with_capacity(count);
        for (index, (argument, parameter)) in arguments.iter_mut().zip(&body.parameters).enumerate()
        {
            if !argument.fits(parameter) {
                return Err(RuntimeError::Argument {
                    symbol: symbol.to_string(),
                    index,
                    expected: parameter.to_string(),
                    found: argument.parameter().to_string(),
                });
            }
            argument.push(&mut words)?;
        }
        check_available(body.scratch)?;
        // SAFETY: the signature was checked against the code and the arguments against the
        // signature, so the words are what the entry reads; the tensors behind them are borrowed
        // until it returns, those that it writes by `&mut`.
        unsafe { (body.entry)(words.as_ptr()) };
        Ok(())
    }
}
