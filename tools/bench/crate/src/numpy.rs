//! NumPy as a peer: a Python process that runs statements and says what CPU time they took.

use std::error::Error;
use std::process::Command;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tensor::Tensor;

use crate::multiplier::Multiplier;
use crate::worker::Worker;

/// One thread of NumPy. `np` is bound; what a statement binds stays bound for the next.
///
/// The process stays alive between statements, so the interpreter's start, the imports and the pipe are not in any
/// time; a statement's own interpretation, some microseconds, is.
pub struct NumPy {
    worker: Worker,
    name: String,
    /// Where arrays cross.
    folder: tempfile::TempDir,
}

#[derive(Serialize)]
struct Request<'a> {
    code: &'a str,
}

#[derive(Deserialize)]
struct Hello {
    version: String,
}

#[derive(Deserialize)]
struct Answer {
    nanoseconds: u64,
}

impl NumPy {
    /// Starts the Python of `NEURO_NUMPY_PYTHON`, which the benchmark's script sets, or the machine's.
    pub fn start() -> Result<NumPy, Box<dyn Error>> {
        let python = std::env::var_os("NEURO_NUMPY_PYTHON").unwrap_or_else(|| "python3".into());
        let mut command = Command::new(&python);
        // Whatever library is below it keeps to one thread.
        for threads in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
            command.env(threads, "1");
        }
        let mut worker = Worker::start(command.args(["-c", include_str!("numpy.py")]))?;
        let hello: Hello = worker.answer()?;
        Ok(NumPy {
            worker,
            name: format!("NumPy {}", hello.version),
            folder: tempfile::tempdir()?,
        })
    }

    /// `NumPy` and its version.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Runs Python statements, and gives the CPU time that they took.
    pub fn run(&mut self, code: &str) -> Result<Duration, Box<dyn Error>> {
        let answer: Answer = self
            .worker
            .ask(&Request { code })
            .map_err(|error| format!("`{code}`: {error}"))?;
        Ok(Duration::from_nanos(answer.nanoseconds))
    }

    /// Binds `name` to an array of the tensor's elements; `bf16`, which NumPy lacks, as its 16 bits.
    pub fn bind(&mut self, name: &str, tensor: &Tensor) -> Result<(), Box<dyn Error>> {
        let path = self.folder.path().join("array.npy");
        tensor::npy::write(&path, tensor)?;
        let path = serde_json::to_string(&path)?;
        self.run(&format!("{name} = np.load({path})"))?;
        Ok(())
    }
}

impl Multiplier for NumPy {
    fn name(&self) -> &str {
        "NumPy"
    }

    fn take(&mut self, a: &Tensor, b: &Tensor) -> Result<bool, Box<dyn Error>> {
        self.bind("a", a)?;
        self.bind("b", b)?;
        self.run("r = np.matmul(a, b)")?;
        Ok(true)
    }

    fn multiply(&mut self, times: u32) -> Result<Duration, Box<dyn Error>> {
        self.run(&format!("for _ in range({times}): np.matmul(a, b, out=r)"))
    }
}
