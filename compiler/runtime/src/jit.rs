use std::collections::HashMap;

use codegen::{Compiled, LoadedObject, Parameter, Processor, Scratch, Signature, compile};
use inkwell::builder::BuilderError;
use inkwell::module::Module;

use crate::callback::{Environment, Stop};
use crate::packed::{add_packed_entry, packed_name};
use crate::scratch::check_available;
use crate::trampoline::{add_trampoline, trampoline_name};
use crate::{Argument, RuntimeError};

/// The bodies of a program as code of the host.
pub struct Jit {
    bodies: HashMap<String, Body>,
    /// Holds the code that the bodies' addresses point to.
    code: LoadedObject,
}

struct Body {
    entry: PackedEntry,
    parameters: Vec<Parameter>,
    /// The addresses of the code of its function values, in order.
    functions: Vec<u64>,
    scratch: Scratch,
}

/// The type of what [`add_packed_entry`] makes.
type PackedEntry = unsafe extern "C" fn(*const u64);

impl Jit {
    /// Compiles a module at `-O3` for this machine's processor, and loads it.
    ///
    /// `ir` is LLVM IR as text that defines a body for each signature; that the bodies touch only
    /// what their arguments give them is taken from the backend that made them.
    pub fn load(ir: &str, signatures: &[Signature]) -> Result<Jit, RuntimeError> {
        Jit::load_with(ir, signatures, &[], |_| Ok(()))
    }

    /// The same for a module that calls `symbols`, to which `add` adds what it has not already.
    pub(crate) fn load_with(
        ir: &str,
        signatures: &[Signature],
        symbols: &[(&str, usize)],
        add: impl for<'l> Fn(&Module<'l>) -> Result<(), BuilderError>,
    ) -> Result<Jit, RuntimeError> {
        let processor = Processor::native();
        let Compiled { object, scratch } =
            compile(ir, signatures, &processor, |module, function, signature| {
                for function in signature.functions() {
                    add_trampoline(module, function)?;
                }
                add(module)?;
                add_packed_entry(module, function, &signature.symbol)
            })?;
        let code = LoadedObject::load(object, symbols)?;
        let mut bodies = HashMap::new();
        for (signature, scratch) in signatures.iter().zip(scratch) {
            let address = code.address(&packed_name(&signature.symbol))?;
            // SAFETY: that is the address of a function of this type, which was added above.
            let entry = unsafe { std::mem::transmute::<usize, PackedEntry>(address) };
            let functions = signature.functions();
            let functions = functions.map(|f| Ok(code.address(&trampoline_name(f))? as u64));
            let body = Body {
                entry,
                parameters: signature.parameters.clone(),
                functions: functions.collect::<Result<_, RuntimeError>>()?,
                scratch,
            };
            bodies.insert(signature.symbol.clone(), body);
        }
        Ok(Jit { bodies, code })
    }

    /// A function of no parameters in the code, valid while this lives.
    pub(crate) fn function(&self, symbol: &str) -> Result<extern "C" fn(), RuntimeError> {
        let address = self.code.address(symbol)?;
        // SAFETY: the caller has added a function of this type under that name.
        Ok(unsafe { std::mem::transmute::<usize, extern "C" fn()>(address) })
    }

    /// Runs a body. Nothing runs unless the arguments are exactly what it takes.
    ///
    /// A function among the arguments that stops the call is [`RuntimeError::Stopped`]; what it
    /// panics with goes on from here, once the body has ended.
    pub fn call(&self, symbol: &str, arguments: &mut [Argument<'_>]) -> Result<(), RuntimeError> {
        self.calls(symbol, arguments, |call| call())?
    }

    /// Hands `run` the call of a body as [`Jit::call`] makes it, to be made any number of times:
    /// the arguments are checked and laid out once.
    pub fn calls<R>(
        &self,
        symbol: &str,
        arguments: &mut [Argument<'_>],
        run: impl FnOnce(&mut dyn FnMut() -> Result<(), RuntimeError>) -> R,
    ) -> Result<R, RuntimeError> {
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
        let stop = Stop::default();
        let mut environments = Vec::new();
        for (index, (argument, parameter)) in arguments.iter().zip(&body.parameters).enumerate() {
            if !argument.fits(parameter) {
                return Err(RuntimeError::Argument {
                    symbol: symbol.to_string(),
                    index,
                    expected: parameter.to_string(),
                    found: argument.to_string(),
                });
            }
            if let (&Argument::Function(callback), Parameter::Function(signature)) =
                (argument, parameter)
            {
                environments.push(Environment::new(callback, signature, &stop));
            }
        }
        let environments = environments.iter();
        let mut functions = body
            .functions
            .iter()
            .zip(environments)
            .map(|(&code, environment)| {
                [
                    code,
                    std::ptr::from_ref(environment).expose_provenance() as u64,
                ]
            });
        let count = body.parameters.iter().map(Parameter::word_count).sum();
        let mut words = Vec::with_capacity(count);
        let mut threads = 1;
        for argument in arguments {
            if let Argument::Threads(sharing) = argument {
                threads = sharing.count();
            }
            argument.push(&mut words, &mut functions)?;
        }
        check_available(body.scratch.total(threads))?;
        Ok(run(&mut || {
            // SAFETY: the signature was checked against the code and the arguments against the
            // signature, so the words are what the entry reads; the tensors behind them are
            // borrowed until it returns, those that it writes by `&mut`, and the environments
            // live on.
            unsafe { (body.entry)(words.as_ptr()) };
            stop.outcome(symbol)
        }))
    }
}
