//! NumPy as a peer: a Python process that runs statements and says what CPU time they took.

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tensor::Tensor;

/// One thread of NumPy. `np` is bound; what a statement binds stays bound for the next.
///
/// The process stays alive between statements, so the interpreter's start, the imports and the pipe are not in any
/// time; a statement's own interpretation, some microseconds, is.
pub struct NumPy {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
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
        let mut process = command
            .args(["-c", include_str!("numpy.py")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", python.display()))?;
        let (Some(requests), Some(answers)) = (process.stdin.take(), process.stdout.take()) else {
            return Err("the Python process has no pipes".into());
        };
        let mut numpy = NumPy {
            process,
            requests,
            answers: BufReader::new(answers),
            name: String::new(),
            folder: tempfile::tempdir()?,
        };
        let hello: Hello = numpy.answer()?;
        numpy.name = format!("NumPy {}", hello.version);
        Ok(numpy)
    }

    /// `NumPy` and its version.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Runs Python statements, and gives the CPU time that they took.
    pub fn run(&mut self, code: &str) -> Result<Duration, Box<dyn Error>> {
        let request = serde_json::to_string(&Request { code })?;
        writeln!(self.requests, "{request}").map_err(|error| format!("`{code}`: {error}"))?;
        let answer: Answer = self
            .answer()
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

    fn answer<T: DeserializeOwned>(&mut self) -> Result<T, Box<dyn Error>> {
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            return Err(format!("NumPy's process ended: {}", self.process.wait()?).into());
        }
        Ok(serde_json::from_str(&line)?)
    }
}

impl Drop for NumPy {
    fn drop(&mut self) {
        // Nobody is left to hear of an error; a process that has ended cannot be ended again.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
