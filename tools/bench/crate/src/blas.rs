//! A BLAS as a peer: a library opened at run time, called in this process.

use std::error::Error;

use libloading::Library;
use tensor::Tensor;

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
        let (_, [m, k]) = matrices(a)?;
        let (count, [_, n]) = matrices(b)?;
        let sizes = [m, n, k].map(|extent| extent as i32);
        match a.as_slice::<f32>() {
            Ok(a) => {
                // SAFETY: the function of this name has this type.
                let gemm = unsafe { self.library.get::<Gemm<f32>>(b"cblas_sgemm\0")? };
                let (b, c) = (b.as_slice::<f32>()?, c.as_mut_slice::<f32>()?);
                each(
                    count,
                    sizes,
                    [a.len(), b.len(), c.len()],
                    |[m, n, k], at| {
                        let (a, b, c) = (&a[at[0]..], &b[at[1]..], &mut c[at[2]..]);
                        // SAFETY: the slices hold matrices of these extents from there on.
                        unsafe {
                            let (a, b, c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
                            gemm(
                                ROW_MAJOR,
                                NO_TRANSPOSE,
                                NO_TRANSPOSE,
                                m,
                                n,
                                k,
                                1.0,
                                a,
                                k,
                                b,
                                n,
                                0.0,
                                c,
                                n,
                            );
                        }
                    },
                );
            }
            Err(_) => {
                // SAFETY: as above.
                let gemm = unsafe { self.library.get::<Gemm<f64>>(b"cblas_dgemm\0")? };
                let (a, b, c) = (
                    a.as_slice::<f64>()?,
                    b.as_slice::<f64>()?,
                    c.as_mut_slice::<f64>()?,
                );
                each(
                    count,
                    sizes,
                    [a.len(), b.len(), c.len()],
                    |[m, n, k], at| {
                        let (a, b, c) = (&a[at[0]..], &b[at[1]..], &mut c[at[2]..]);
                        // SAFETY: as above.
                        unsafe {
                            let (a, b, c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
                            gemm(
                                ROW_MAJOR,
                                NO_TRANSPOSE,
                                NO_TRANSPOSE,
                                m,
                                n,
                                k,
                                1.0,
                                a,
                                k,
                                b,
                                n,
                                0.0,
                                c,
                                n,
                            );
                        }
                    },
                );
            }
        }
        Ok(())
    }
}

/// Where each of `count` products begins in the three arrays of these lengths.
fn each(
    count: usize,
    sizes: [i32; 3],
    lengths: [usize; 3],
    mut work: impl FnMut([i32; 3], [usize; 3]),
) {
    for product in 0..count {
        work(sizes, lengths.map(|length| length / count * product));
    }
}

fn matrices(tensor: &Tensor) -> Result<(usize, [usize; 2]), Box<dyn Error>> {
    match *tensor.shape() {
        [rows, columns] => Ok((1, [rows as usize, columns as usize])),
        [count, rows, columns] => Ok((count as usize, [rows as usize, columns as usize])),
        _ => Err("a matrix, or a batch of them, was expected".into()),
    }
}
