use std::collections::HashMap;

use neuro_hir::{
    FunctionTarget, HirConst, HirFunction, HirItem, HirNode, HirProgram, HirStruct, HirType,
    LocalId,
};
use shared_types::Span;
use tensor::Scalar;

use crate::evaluate::{Stop, Thread, unexpected};
use crate::frame::Frame;
use crate::{Failure, Function, Host, Panic, PanicKind, Value};

/// How many calls may be in progress at once; one more is a panic.
pub const CALL_LIMIT: usize = 10_000;

/// How many steps of evaluation may be in progress at once: some 800 MB of stack where the
/// interpreter is built without optimizations.
pub(crate) const STEP_LIMIT: usize = 100_000;

/// Runs the functions of a program, one call at a time.
pub struct Interpreter<'p, 'h> {
    pub(crate) program: &'p HirProgram,
    pub(crate) host: &'h dyn Host,
    functions: HashMap<&'p str, &'p HirFunction>,
    methods: HashMap<(&'p str, &'p str), &'p HirFunction>,
    structs: HashMap<&'p str, &'p HirStruct>,
    constants: HashMap<&'p str, &'p HirConst>,
    /// Of the constants that were needed so far.
    pub(crate) constant_values: HashMap<&'p str, Value<'p>>,
    calls: usize,
    /// The steps of evaluation in progress, each in the last.
    pub(crate) steps: usize,
    /// What the steps count to in the operation in progress, wherever in it.
    operation_steps: usize,
    /// How many steps the operations that were called so far take.
    depths: HashMap<&'p str, usize>,
    /// The kernel thread that runs.
    pub(crate) thread: Option<Thread>,
}

impl<'p, 'h> Interpreter<'p, 'h> {
    /// `program` is one that [`HirProgram::verify`] accepts; of another the result may be
    /// [`Failure::Internal`].
    pub fn new(program: &'p HirProgram, host: &'h dyn Host) -> Self {
        let mut interpreter = Interpreter {
            program,
            host,
            functions: HashMap::new(),
            methods: HashMap::new(),
            structs: HashMap::new(),
            constants: HashMap::new(),
            constant_values: HashMap::new(),
            calls: 0,
            steps: 0,
            operation_steps: 0,
            depths: HashMap::new(),
            thread: None,
        };
        for item in &program.items {
            match item {
                HirItem::Function(function) => {
                    interpreter.functions.insert(&function.name, function);
                }
                HirItem::Impl(block) => {
                    for method in &block.methods {
                        let key = (block.owner.as_str(), method.name.as_str());
                        interpreter.methods.insert(key, method);
                    }
                }
                HirItem::Struct(item) => {
                    interpreter.structs.insert(&item.name, item);
                }
                HirItem::Const(item) => {
                    interpreter.constants.insert(&item.name, item);
                }
            }
        }
        interpreter
    }

    /// Calls a function of the program, which the host may run. `arguments` are as those of
    /// [`Host::operation`]: what is left of a `&mut` one is the new value. Tensors come back with
    /// their elements, wherever the host keeps them meanwhile.
    pub fn call(
        &mut self,
        function: &'p HirFunction,
        arguments: &mut [Value<'p>],
    ) -> Result<Value<'p>, Failure> {
        let span = function.span;
        let holder = Frame::holding(
            arguments
                .iter_mut()
                .map(|argument| std::mem::replace(argument, Value::Void)),
        );
        let mut values = Vec::new();
        for (index, parameter) in function.parameters().iter().enumerate() {
            let local = LocalId(index as u32);
            values.push(if is_mutable_reference(&parameter.ty) {
                Value::Reference(holder.reference(local))
            } else {
                holder.get(local).map_err(|error| error.at(span))?
            });
        }
        let result = self.dispatch(function, values, span)?.all_at_hand(span)?;
        for (index, argument) in arguments.iter_mut().enumerate() {
            let place = holder.reference(LocalId(index as u32));
            let value = place.take().map_err(|error| error.at(span))?;
            *argument = value.all_at_hand(span)?;
        }
        Ok(result)
    }

    /// Calls a function. An operation takes all its steps at once, so that every engine ends at
    /// the same one.
    pub(crate) fn dispatch(
        &mut self,
        function: &'p HirFunction,
        arguments: Vec<Value<'p>>,
        call: Span,
    ) -> Result<Value<'p>, Failure> {
        match function.target {
            FunctionTarget::Host => self.run_body(function, arguments, call),
            FunctionTarget::HostOperation
            | FunctionTarget::FollowsOperands
            | FunctionTarget::Gpu { .. }
            | FunctionTarget::Kernel { .. } => {
                let depth = *self
                    .depths
                    .entry(&function.name)
                    .or_insert_with(|| HirNode::from(&function.body).depth());
                let steps = self.steps + depth;
                if steps > STEP_LIMIT {
                    return Err(Panic::new(call, PanicKind::StackOverflow).into());
                }
                let outer = std::mem::replace(&mut self.operation_steps, steps);
                let result = self.run_operation(function, arguments, call);
                self.operation_steps = outer;
                result
            }
        }
    }

    /// Runs an operation on the host's engine, or else its body here: for a kernel that of each
    /// thread.
    fn run_operation(
        &mut self,
        function: &'p HirFunction,
        arguments: Vec<Value<'p>>,
        call: Span,
    ) -> Result<Value<'p>, Failure> {
        if let Some(result) = self.offer(function, &arguments, call)? {
            return Ok(result);
        }
        match &function.target {
            FunctionTarget::Kernel { threads } => {
                self.launch(function, threads, arguments, call)?;
                Ok(Value::Void)
            }
            FunctionTarget::Host
            | FunctionTarget::HostOperation
            | FunctionTarget::FollowsOperands
            | FunctionTarget::Gpu { .. } => self.run_body(function, arguments, call),
        }
    }

    /// Calls a function value with scalars for one, as a traversal in the operation in progress
    /// does. `span` is the traversal's.
    pub fn call_value(
        &mut self,
        function: &Function<'p>,
        arguments: &[Scalar],
        span: Span,
    ) -> Result<Scalar, Failure> {
        // An engine's code takes no steps of the interpreter's: all of the operation's count,
        // whoever runs it and wherever in it the traversal stands.
        let steps = self.steps.max(self.operation_steps);
        let steps = std::mem::replace(&mut self.steps, steps);
        let arguments = arguments.iter().copied().map(Value::Scalar).collect();
        let result = self.apply(function, arguments, span);
        self.steps = steps;
        match result? {
            Value::Scalar(scalar) => Ok(scalar),
            other => Err(unexpected("a scalar", &other, span)),
        }
    }

    /// Offers a call to the host, with the values that references refer to. It is one level of
    /// calls whoever runs it, so that every engine ends at the same one.
    fn offer(
        &mut self,
        function: &'p HirFunction,
        arguments: &[Value<'p>],
        call: Span,
    ) -> Result<Option<Value<'p>>, Failure> {
        self.require_level(call)?;
        let mut values = Vec::new();
        for (parameter, argument) in function.parameters().iter().zip(arguments) {
            values.push(
                match argument {
                    // Moved there and back, so that nothing else holds the data meanwhile.
                    Value::Reference(place) if is_mutable_reference(&parameter.ty) => place.take(),
                    Value::Reference(place) => place.load(),
                    value => Ok(value.clone()),
                }
                .map_err(|error| error.at(call))?,
            );
        }
        self.calls += 1;
        let host = self.host;
        let result = host.operation(self, function, &mut values, call);
        self.calls -= 1;
        for ((parameter, argument), value) in
            function.parameters().iter().zip(arguments).zip(values)
        {
            if let Value::Reference(place) = argument
                && is_mutable_reference(&parameter.ty)
            {
                place.replace(value).map_err(|error| error.at(call))?;
            }
        }
        result
    }

    /// One pass through a function's body.
    pub(crate) fn run_body(
        &mut self,
        function: &'p HirFunction,
        arguments: Vec<Value<'p>>,
        call: Span,
    ) -> Result<Value<'p>, Failure> {
        let frame = Frame::new(function.locals.len());
        for (index, argument) in arguments.into_iter().enumerate() {
            let local = LocalId(index as u32);
            frame.set(local, argument).map_err(|error| error.at(call))?;
        }
        self.in_frame(frame, call, |interpreter, frame| {
            interpreter.block(frame, &function.body)
        })
    }

    /// Evaluates a body in a frame of its own, which ends with it.
    pub(crate) fn in_frame(
        &mut self,
        frame: Frame<'p>,
        call: Span,
        body: impl FnOnce(&mut Self, &Frame<'p>) -> Result<Value<'p>, Stop<'p>>,
    ) -> Result<Value<'p>, Failure> {
        self.require_level(call)?;
        self.calls += 1;
        let result = body(self, &frame);
        self.calls -= 1;
        frame.clear();
        match result {
            Ok(value) | Err(Stop::Return(value)) => Ok(value),
            Err(Stop::Fail(failure)) => Err(failure),
            Err(Stop::Break | Stop::Continue) => Err(internal(
                call,
                "a `break` or a `continue` stands outside of a loop",
            )),
        }
    }

    /// One more call may be in progress.
    fn require_level(&self, call: Span) -> Result<(), Failure> {
        if self.calls == CALL_LIMIT {
            return Err(Panic::new(call, PanicKind::StackOverflow).into());
        }
        Ok(())
    }

    pub(crate) fn function(&self, name: &str) -> Option<&'p HirFunction> {
        self.functions.get(name).copied()
    }

    pub(crate) fn method(&self, owner: &str, name: &str) -> Option<&'p HirFunction> {
        self.methods.get(&(owner, name)).copied()
    }

    pub(crate) fn structure(&self, name: &str) -> Option<&'p HirStruct> {
        self.structs.get(name).copied()
    }

    pub(crate) fn constant(&self, name: &str) -> Option<&'p HirConst> {
        self.constants.get(name).copied()
    }
}

pub(crate) fn is_mutable_reference(ty: &HirType) -> bool {
    matches!(ty, HirType::Reference { mutable: true, .. })
}

pub(crate) fn internal(span: Span, message: impl Into<String>) -> Failure {
    Failure::Internal {
        span,
        message: message.into(),
    }
}
