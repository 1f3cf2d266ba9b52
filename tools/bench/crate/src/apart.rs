//! OpenBLAS in a process of its own, where it is told on its start which processor's kernels to use.

use std::error::Error;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use shared_types::ScalarType;
use tensor::Tensor;

use crate::library::Library;
use crate::multiplier::Multiplier;
use crate::worker::Worker;

pub struct Apart {
    name: String,
    file: String,
    core: String,
    worker: Worker,
    /// Where operands cross.
    folder: tempfile::TempDir,
}

#[derive(Serialize, Deserialize)]
enum Request {
    Take {
        is_f64: bool,
        operands: [(PathBuf, Vec<u64>); 2],
    },
    Multiply(u32),
}

#[derive(Serialize, Deserialize)]
struct Answer {
    nanoseconds: u64,
}

/// The first argument of a benchmark that is such a process; the second is the library's file.
const SERVE: &str = "serve-openblas";

impl Apart {
    /// `core` is what `OPENBLAS_CORETYPE` calls a processor.
    pub fn openblas(file: &str, core: &str) -> Result<Apart, Box<dyn Error>> {
        Ok(Apart {
            name: format!("OpenBLAS-{core}"),
            file: file.into(),
            core: core.into(),
            worker: start(file, core)?,
            folder: tempfile::tempdir()?,
        })
    }

    /// Is such a process until its owner ends it, if the command line says so.
    pub fn serve() -> Result<bool, Box<dyn Error>> {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let [serve, file] = arguments.as_slice() else {
            return Ok(false);
        };
        if serve != SERVE {
            return Ok(false);
        }
        let mut library = Library::blas("OpenBLAS", file)?;
        let kernels = library.kernels().ok_or("the library is not OpenBLAS")?;
        println!("{}", serde_json::to_string(&kernels)?);
        for line in std::io::stdin().lines() {
            let time = match serde_json::from_str(&line?)? {
                Request::Take { is_f64, operands } => {
                    let element = if is_f64 {
                        ScalarType::F64
                    } else {
                        ScalarType::F32
                    };
                    let [a, b] =
                        operands.map(|(path, shape)| tensor::npy::read(&path, element, &shape));
                    library.take(&a?, &b?)?;
                    Duration::ZERO
                }
                Request::Multiply(times) => library.multiply(times)?,
            };
            let nanoseconds = time.as_nanos() as u64;
            println!("{}", serde_json::to_string(&Answer { nanoseconds })?);
        }
        Ok(true)
    }

    fn ask(&mut self, request: &Request) -> Result<Duration, Box<dyn Error>> {
        let answer: Answer = self.worker.ask(request)?;
        Ok(Duration::from_nanos(answer.nanoseconds))
    }
}

impl Multiplier for Apart {
    fn name(&self) -> &str {
        &self.name
    }

    fn take(&mut self, a: &Tensor, b: &Tensor) -> Result<bool, Box<dyn Error>> {
        let handed = |name: &str, operand: &Tensor| -> Result<_, Box<dyn Error>> {
            let path = self.folder.path().join(name);
            tensor::npy::write(&path, operand)?;
            Ok((path, operand.shape().to_vec()))
        };
        let request = Request::Take {
            is_f64: a.scalar_type() == ScalarType::F64,
            operands: [handed("a.npy", a)?, handed("b.npy", b)?],
        };
        // A new process: the library has crashed on some operands, which should cost no others.
        self.worker = start(&self.file, &self.core)?;
        self.ask(&request)?;
        Ok(true)
    }

    fn multiply(&mut self, times: u32) -> Result<Duration, Box<dyn Error>> {
        self.ask(&Request::Multiply(times))
    }
}

fn start(file: &str, core: &str) -> Result<Worker, Box<dyn Error>> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args([SERVE, file]).env("OPENBLAS_CORETYPE", core);
    let mut worker = Worker::start(&mut command)?;
    let kernels: String = worker.answer()?;
    if kernels != core {
        return Err(format!("it has kernels for {kernels} in place of {core}").into());
    }
    Ok(worker)
}
