//! A BLAS as a peer: a library opened at run time, called in this process.

use std::error::Error;

use libloading::Library;
use shared_types::ScalarType;
use tensor::{Element, Tensor};

/// `C = A B` of row-major floats.
type Gemm<T> = unsafe extern "C" fn(
    i32,
    i32,
    i32,
    i32,
    i32,
    i32,
    T,
    *const T,
    i32,
    *const T,
    i32,
    T,
    *mut T,
    i32,
);

/// One thread of a library with the C interface of BLAS; its own variable must hold it to one.
pub struct Blas {
    name: &'static str,
    library: Library,
}

/// The C interface's numbers for a row-major matrix, and one that is used as it is.
const ROW_MAJOR: i32 = 101;
const NO_TRANSPOSE: i32 = 111;

impl Blas {
    pub fn open(name: &'static str, file: &str) -> Result<Blas, Box<dyn Error>> {
        // SAFETY: loading a BLAS runs its initializers, which prepare buffers.
        let library = unsafe { Library::new(file) }.map_err(|error| format!("{name}: {error}"))?;
        Ok(Blas { name, library })
    }

    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The products of the matrices along the leading axis of rank-3 tensors, or of two matrices,
    /// all `f32` or all `f64`.
    pub fn multiply(&self, a: &Tensor, b: &Tensor, c: &mut Tensor) -> Result<(), Box<dyn Error>> {
        match a.scalar_type() {
            ScalarType::F32 => self.multiply_as::<f32>(b"cblas_sgemm\0", [0.0, 1.0], a, b, c),
            ScalarType::F64 => self.multiply_as::<f64>(b"cblas_dgemm\0", [0.0, 1.0], a, b, c),
            other => Err(format!("no library multiplies `{other}`").into()),
        }
    }

    fn multiply_as<T: Element>(
        &self,
        symbol: &[u8],
        [zero, one]: [T; 2],
        a: &Tensor,
        b: &Tensor,
        c: &mut Tensor,
    ) -> Result<(), Box<dyn Error>> {
        // SAFETY: the functions of these names have this type.
        let gemm = unsafe { self.library.get::<Gemm<T>>(symbol)? };
        let (_, [m, k]) = matrices(a)?;
        let (count, [_, n]) = matrices(b)?;
        let (a, b, c) = (
            a.as_slice::<T>()?,
            b.as_slice::<T>()?,
            c.as_mut_slice::<T>()?,
        );
        if [a.len(), b.len(), c.len()] != [m * k, k * n, m * n].map(|size| size * count) {
            return Err("matrices of one product were expected".into());
        }
        for product in 0..count {
            let (a, b) = (&a[product * m * k..], &b[product * k * n..]);
            let c = &mut c[product * m * n..];
            let (a, b, c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
            let [m, n, k] = [m, n, k].map(|extent| extent as i32);
            let (order, as_is) = (ROW_MAJOR, NO_TRANSPOSE);
            // SAFETY: matrices of these extents lie from there on, as the lengths say.
            unsafe { gemm(order, as_is, as_is, m, n, k, one, a, k, b, n, zero, c, n) };
        }
        Ok(())
    }
}

fn matrices(tensor: &Tensor) -> Result<(usize, [usize; 2]), Box<dyn Error>> {
    match *tensor.shape() {
        [rows, columns] => Ok((1, [rows as usize, columns as usize])),
        [count, rows, columns] => Ok((count as usize, [rows as usize, columns as usize])),
        _ => Err("a matrix, or a batch of them, was expected".into()),
    }
}
