use std::cell::{Cell, RefCell};
use std::ptr::null;
use std::rc::Rc;
use std::sync::Arc;

use crate::{Device, DeviceError};

/// A run of host code for a device.
pub(crate) struct Session {
    pub(crate) device: Arc<dyn Device>,
    /// The first failure.
    failure: RefCell<Option<DeviceError>>,
    launches: Cell<u64>,
    /// What host code has allocated and not freed.
    buffers: RefCell<Vec<u64>>,
    streams: RefCell<Vec<u64>>,
}

/// What a run of host code did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Kernels launched.
    pub launches: u64,
}

thread_local! {
    static SESSION: Cell<*const Session> = const { Cell::new(null()) };
}

/// Calls host code whose calls of the ABI are for `device`. Nothing that it allocated is left.
///
/// # Safety
/// `run` may be left in the middle, not unwound, where it breaks the device's rules.
pub unsafe fn run(device: &Arc<dyn Device>, run: &mut dyn FnMut()) -> Result<Usage, DeviceError> {
    let begun = Run::begin(device.clone());
    // SAFETY: as the caller promises.
    let ran = unsafe { device.host(run) };
    begun.end_after(ran)
}

/// A run of this thread's host code, from its beginning to its end or its drop.
pub struct Run {
    session: Rc<Session>,
    before: *const Session,
}

impl Run {
    /// Calls of the ABI are for `device` from here on.
    pub fn begin(device: Arc<dyn Device>) -> Run {
        let session = Rc::new(Session {
            device,
            failure: RefCell::default(),
            launches: Cell::default(),
            buffers: RefCell::default(),
            streams: RefCell::default(),
        });
        let before = SESSION.replace(Rc::as_ptr(&session));
        Run { session, before }
    }

    /// What it did, or what failed first. Nothing that was allocated is left.
    pub fn end(self) -> Result<Usage, DeviceError> {
        self.end_after(Ok(()))
    }

    fn end_after(self, ran: Result<(), DeviceError>) -> Result<Usage, DeviceError> {
        let swept = self.session.sweep();
        let failure = self.session.failure.take();
        // A failure explains what follows it.
        failure.map_or(Ok(()), Err).and(ran).and(swept)?;
        Ok(Usage {
            launches: self.session.launches.get(),
        })
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        SESSION.set(self.before);
        // After an end nothing is left; before one, nobody hears of it.
        let _ = self.session.sweep();
    }
}

/// Copies to the device of the run that this thread is in.
pub fn write(to: u64, from: &[u8]) {
    with(|session| session.device.write(to, from).map(|()| 0));
}

/// Copies from that device, after everything that it was asked to do.
pub fn read(from: u64, to: &mut [u8]) {
    with(|session| session.device.read(from, to).map(|()| 0));
}

/// Calls `act` with the run that this thread is in, unless that has failed; keeps its failure, and
/// gives 0 for what it did not give.
pub(crate) fn with(act: impl FnOnce(&Session) -> Result<u64, DeviceError>) -> u64 {
    // SAFETY: set while the session lives.
    let Some(session) = (unsafe { SESSION.get().as_ref() }) else {
        // Host code was called past `run`, which alone says what runs its kernels.
        eprintln!("error: GPU code was called without a device");
        std::process::exit(1);
    };
    if session.failure.borrow().is_some() {
        return 0;
    }
    act(session).unwrap_or_else(|error| {
        *session.failure.borrow_mut() = Some(error);
        0
    })
}

/// The same where a run may have failed before: what gives back what it has.
pub(crate) fn give_back(act: impl FnOnce(&Session) -> Result<(), DeviceError>) {
    // SAFETY: set while the session lives.
    if let Some(session) = unsafe { SESSION.get().as_ref() }
        && let Err(error) = act(session)
    {
        session.failure.borrow_mut().get_or_insert(error);
    }
}

impl Session {
    pub(crate) fn launched(&self) {
        self.launches.set(self.launches.get() + 1);
    }

    pub(crate) fn allocate(&self, bytes: u64) -> Result<u64, DeviceError> {
        let address = self.device.allocate(bytes)?;
        self.buffers.borrow_mut().push(address);
        Ok(address)
    }

    pub(crate) fn free(&self, address: u64) -> Result<(), DeviceError> {
        self.buffers.borrow_mut().retain(|&one| one != address);
        self.device.free(address)
    }

    pub(crate) fn create_stream(&self) -> Result<u64, DeviceError> {
        let stream = self.device.create_stream()?;
        self.streams.borrow_mut().push(stream);
        Ok(stream)
    }

    pub(crate) fn destroy_stream(&self, stream: u64) -> Result<(), DeviceError> {
        self.streams.borrow_mut().retain(|&one| one != stream);
        self.device.destroy_stream(stream)
    }

    /// Gives back what host code left.
    fn sweep(&self) -> Result<(), DeviceError> {
        let (buffers, streams) = (self.buffers.take(), self.streams.take());
        if buffers.is_empty() && streams.is_empty() {
            return Ok(());
        }
        let destroyed = streams
            .iter()
            .map(|&stream| self.device.destroy_stream(stream));
        let freed = buffers.iter().map(|&buffer| self.device.free(buffer));
        // All of them, whichever the device takes back.
        let given_back: Vec<_> = destroyed.chain(freed).collect();
        given_back.into_iter().collect::<Result<(), _>>()?;
        Err(DeviceError::Leak {
            buffers: buffers.len(),
            streams: streams.len(),
        })
    }
}
