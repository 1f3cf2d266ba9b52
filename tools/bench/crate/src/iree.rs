//! IREE as a peer.

use std::error::Error;
use std::time::Duration;

use shared_types::ScalarType;
use tensor::Tensor;

use crate::multiplier::Multiplier;
use crate::numpy::NumPy;

/// `linalg` compiled by it for this processor, called from a Python process on buffers of its own.
pub struct Iree {
    python: NumPy,
}

/// A call from Python takes some ten microseconds: products of fewer operations are not measured.
const LEAST_OPERATIONS: u64 = 2 * 256 * 256 * 256;

impl Iree {
    /// `NEURO_IREE_PACKAGES`, which the benchmark's script sets, is the folder of its Python packages.
    pub fn start() -> Result<Iree, Box<dyn Error>> {
        let packages = std::env::var("NEURO_IREE_PACKAGES")
            .map_err(|_| "its Python packages are not there")?;
        let mut python = NumPy::start()?;
        let packages = serde_json::to_string(&packages)?;
        python.run(&format!("import sys; sys.path.append({packages})"))?;
        python.run("import iree.compiler, iree.runtime")?;
        python.run("device = iree.runtime.Config('local-sync')")?;
        Ok(Iree { python })
    }
}

impl Multiplier for Iree {
    fn name(&self) -> &str {
        "IREE"
    }

    fn take(&mut self, a: &Tensor, b: &Tensor) -> Result<bool, Box<dyn Error>> {
        let (&[.., m, k], &[.., n]) = (a.shape(), b.shape()) else {
            return Err("matrices were expected".into());
        };
        let batch: u64 = a.shape()[..a.shape().len() - 2].iter().product();
        if 2 * batch * m * k * n < LEAST_OPERATIONS {
            return Ok(false);
        }
        let element = match a.scalar_type() {
            ScalarType::F32 => "f32",
            ScalarType::F64 => "f64",
            other => return Err(format!("no product of `{other}` is measured").into()),
        };
        let (product, batch) = match a.shape() {
            [batch, _, _] => ("batch_matmul", format!("{batch}x")),
            _ => ("matmul", String::new()),
        };
        let [a_type, b_type, c_type] = [[m, k], [k, n], [m, n]]
            .map(|[rows, columns]| format!("tensor<{batch}{rows}x{columns}x{element}>"));
        self.python.bind("a", a)?;
        self.python.bind("b", b)?;
        self.python.run(&format!(
            "module = iree.compiler.compile_str('''
func.func @main(%a: {a_type}, %b: {b_type}) -> {c_type} {{
  %zero = arith.constant 0.0 : {element}
  %empty = tensor.empty() : {c_type}
  %start = linalg.fill ins(%zero : {element}) outs(%empty : {c_type}) -> {c_type}
  %c = linalg.{product} ins(%a, %b : {a_type}, {b_type}) outs(%start : {c_type}) -> {c_type}
  return %c : {c_type}
}}''', target_backends=['llvm-cpu'],
    extra_args=['--iree-llvmcpu-target-cpu=host', '--iree-opt-level=O3', '--iree-input-demote-f64-to-f32=false'])
context = iree.runtime.SystemContext(config=device)
context.add_vm_module(iree.runtime.VmModule.copy_buffer(context.instance, module))
main = context.modules.module['main']
a, b = (iree.runtime.asdevicearray(device.device, each) for each in (a, b))
main(a, b)"
        ))?;
        Ok(true)
    }

    fn multiply(&mut self, times: u32) -> Result<Duration, Box<dyn Error>> {
        self.python
            .run(&format!("for _ in range({times}): main(a, b)"))
    }
}
