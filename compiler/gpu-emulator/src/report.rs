use std::fmt;

use thiserror::Error;

/// What a thread of a launch, or host code, did wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct Report {
    /// The thread; `None` for host code.
    pub thread: Option<Thread>,
    pub violation: Violation,
}

/// A thread of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    pub kernel: String,
    /// The position of its block in the grid: x, y, z.
    pub block: [u32; 3],
    /// Its position in its block.
    pub thread: [u32; 3],
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// An access to memory that is not there, or not the accessor's.
    Memory { access: Access, place: Place },
    /// A launch has written beside a buffer; which thread is not known.
    Disturbed { kernel: String, place: Place },
    /// Bytes are read that nothing has written.
    Unwritten { access: Access, place: Place },
    /// Two threads access one address, one of them to write, with nothing that orders them.
    Race {
        access: Access,
        place: Place,
        /// The other thread and its access.
        other: Box<Thread>,
        other_access: Access,
        address: u64,
    },
    /// Threads of a block wait at different barriers, or some wait and others have ended.
    Divergence,
    /// The thread has taken as many turns of its loops as one may.
    Endless { turns: u64 },
    /// The stack of a thread is full.
    Stack,
    /// The thread stopped itself.
    Trap,
    /// An assertion failed.
    Assertion {
        message: String,
        file: String,
        line: u32,
    },
    /// The host's processor stopped the thread: a division that the kernel did not check.
    Signal(&'static str),
}

/// Of how many bytes; `None` where only the address is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read(Option<u64>),
    Write(Option<u64>),
    Atomic(Option<u64>),
}

/// Where an address is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// From the start of the nearest buffer, which may lie before it.
    Buffer {
        /// Buffers are counted from 1 as they are allocated; `None` is shared memory.
        number: Option<u64>,
        bytes: u64,
        offset: i64,
    },
    Nowhere {
        address: u64,
    },
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.thread {
            Some(thread) => write!(f, "{thread} {}", self.violation),
            None => write!(f, "host code {}", self.violation),
        }
    }
}

impl fmt::Display for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Thread {
            kernel,
            block,
            thread,
        } = self;
        write!(f, "kernel `{kernel}`: thread {thread:?} of block {block:?}")
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Memory { access, place } => write!(f, "{access} at {place}"),
            Violation::Disturbed { kernel, place } => {
                write!(f, "finds that kernel `{kernel}` wrote at {place}")
            }
            Violation::Unwritten { access, place } => {
                write!(f, "{access} at {place}, where nothing was written")
            }
            Violation::Race {
                access,
                place,
                other,
                other_access,
                address: _,
            } => write!(
                f,
                "{access} at {place}, in a race: {other} {other_access} there"
            ),
            Violation::Divergence => f.write_str("waits at a barrier at which others do not"),
            Violation::Endless { turns } => {
                write!(f, "has not ended after {turns} turns of its loops")
            }
            Violation::Stack => f.write_str("has no stack left"),
            Violation::Trap => f.write_str("trapped"),
            Violation::Assertion {
                message,
                file,
                line,
            } => write!(f, "failed an assertion ({file}:{line}): {message}"),
            Violation::Signal(name) => write!(f, "was stopped by {name}"),
        }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (verb, bytes) = match self {
            Access::Read(bytes) => ("reads", bytes),
            Access::Write(bytes) => ("writes", bytes),
            Access::Atomic(bytes) => ("updates", bytes),
        };
        match bytes {
            Some(bytes) => write!(f, "{verb} {bytes} bytes"),
            None => f.write_str(verb),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Buffer {
                number,
                bytes,
                offset,
            } => {
                write!(f, "byte {offset} of ")?;
                match number {
                    Some(number) => write!(f, "buffer {number}, which has {bytes}"),
                    None => write!(f, "shared memory, which has {bytes}"),
                }
            }
            Place::Nowhere { address } => write!(f, "{address:#x}, which is in no buffer"),
        }
    }
}
