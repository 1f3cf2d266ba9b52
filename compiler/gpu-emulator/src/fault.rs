//! Faults of code that a coroutine runs: the coroutine ends, and the fault is a value.

use std::cell::Cell;
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::OnceLock;

use corosensei::trap::CoroutineTrapHandler;

use crate::EmulatorError;
use crate::fiber::Ended;

/// What the processor stopped.
#[derive(Clone, Copy)]
pub(crate) struct Fault {
    pub(crate) signal: i32,
    pub(crate) address: usize,
    pub(crate) write: bool,
    /// Whether the address is of the coroutine's stack.
    pub(crate) on_stack: bool,
}

/// Which faults end the coroutine that runs.
#[derive(Clone, Copy)]
pub(crate) struct Guard {
    pub(crate) stack: CoroutineTrapHandler<Ended>,
    /// Those at these addresses alone; all where there are none.
    pub(crate) only: Option<(usize, usize)>,
}

thread_local! {
    static GUARD: Cell<Option<Guard>> = const { Cell::new(None) };
    static FAULT: Cell<Option<Fault>> = const { Cell::new(None) };
}

/// Calls `run`, in which faults of the guarded coroutine end it. Returns the fault.
pub(crate) fn guarded<R>(guard: Guard, run: impl FnOnce() -> R) -> (R, Option<Fault>) {
    let before = GUARD.replace(Some(guard));
    let result = run();
    GUARD.set(before);
    (result, FAULT.take())
}

/// Whether an address is on the stack of the coroutine that runs.
pub(crate) fn on_stack(address: usize) -> bool {
    GUARD
        .get()
        .is_some_and(|guard| guard.stack.stack_ptr_in_bounds(address))
}

impl Guard {
    pub(crate) fn new(stack: CoroutineTrapHandler<Ended>, only: Option<Range<usize>>) -> Guard {
        Guard {
            stack,
            only: only.map(|range| (range.start, range.end)),
        }
    }
}

const SIGNALS: [i32; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];

/// What handled the signals before.
static BEFORE: OnceLock<Vec<libc::sigaction>> = OnceLock::new();

/// Handles the signals of the process, once.
pub(crate) fn install() -> Result<(), EmulatorError> {
    if !cfg!(all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    )) {
        let text = "its faults cannot be handled";
        return Err(EmulatorError::System(text.to_string()));
    }
    BEFORE.get_or_init(|| {
        let set = |signal| {
            // SAFETY: the handler keeps to what a handler may do, and runs on the stack that
            // Rust's threads have for that.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                let mut before: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = handle as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                libc::sigemptyset(&mut action.sa_mask);
                libc::sigaction(signal, &action, &mut before);
                before
            }
        };
        SIGNALS.map(set).to_vec()
    });
    Ok(())
}

/// Ends the coroutine that faulted, or leaves the fault to what handled it before.
extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the system gives both.
    let (context, address) = unsafe {
        let address = (*info).si_addr().expose_provenance();
        (&mut *context.cast::<libc::ucontext_t>(), address)
    };
    if let Some(guard) = GUARD.get() {
        let there = |(start, end)| start <= address && address < end;
        if guard.stack.stack_ptr_in_bounds(registers::stack(context))
            && guard.only.is_none_or(there)
        {
            FAULT.set(Some(Fault {
                signal,
                address,
                write: registers::write(context),
                on_stack: guard.stack.stack_ptr_in_bounds(address),
            }));
            // SAFETY: the coroutine runs, as its stack pointer says, in code that owns nothing.
            let target = unsafe { guard.stack.setup_trap_handler(|| Ended::Fault) };
            registers::set(context, target);
            return;
        }
    }
    // The instruction faults again, under the handler of before.
    let before = BEFORE.get().and_then(|before| {
        let index = SIGNALS.iter().position(|&one| one == signal)?;
        before.get(index)
    });
    let before = before.map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: what was the handler before.
    unsafe { libc::sigaction(signal, before, null_mut()) };
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod registers {
    use corosensei::trap::TrapHandlerRegs;
    use libc::ucontext_t;

    pub(super) fn stack(context: &ucontext_t) -> usize {
        context.uc_mcontext.gregs[libc::REG_RSP as usize] as usize
    }

    pub(super) fn write(context: &ucontext_t) -> bool {
        context.uc_mcontext.gregs[libc::REG_ERR as usize] & 2 != 0
    }

    pub(super) fn set(context: &mut ucontext_t, to: TrapHandlerRegs) {
        let registers = &mut context.uc_mcontext.gregs;
        registers[libc::REG_RIP as usize] = to.rip as i64;
        registers[libc::REG_RSP as usize] = to.rsp as i64;
        registers[libc::REG_RBP as usize] = to.rbp as i64;
        registers[libc::REG_RDI as usize] = to.rdi as i64;
        registers[libc::REG_RSI as usize] = to.rsi as i64;
    }
}

#[cfg(all(target_os = "linux", target_arch = "aarch64"))]
mod registers {
    use corosensei::trap::TrapHandlerRegs;
    use libc::ucontext_t;

    pub(super) fn stack(context: &ucontext_t) -> usize {
        context.uc_mcontext.sp as usize
    }

    /// The context does not say.
    pub(super) fn write(_: &ucontext_t) -> bool {
        false
    }

    pub(super) fn set(context: &mut ucontext_t, to: TrapHandlerRegs) {
        let registers = &mut context.uc_mcontext;
        registers.pc = to.pc;
        registers.sp = to.sp;
        registers.regs[0] = to.x0;
        registers.regs[1] = to.x1;
        registers.regs[29] = to.x29;
        registers.regs[30] = to.lr;
    }
}
