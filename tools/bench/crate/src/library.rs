//! Libraries that multiply in this process: a BLAS opened at run time, and two Rust crates.

use std::error::Error;
use std::ffi::CStr;
use std::time::Duration;

use libloading::Library as Loaded;
use shared_types::ScalarType;
use tensor::{Element, Tensor};

use crate::clock::timed;
use crate::multiplier::Multiplier;

/// One thread of a library, with the products that it computes and results that were there before.
pub struct Library {
    name: &'static str,
    code: Code,
    products: Option<Products>,
}

enum Code {
    /// With the C interface of BLAS; its own variable must hold it to one thread.
    Blas(Loaded),
    Gemm,
    MatrixMultiply,
}

struct Products {
    extents: [usize; 3],
    count: usize,
    a: Tensor,
    b: Tensor,
    c: Tensor,
}

/// `C = A B` of row-major matrices of `[m, k, n]`.
type Multiply<'l, T> = Box<dyn Fn([usize; 3], &[T], &[T], &mut [T]) + 'l>;

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

/// The C interface's numbers for a row-major matrix, and one that is used as it is.
const ROW_MAJOR: i32 = 101;
const NO_TRANSPOSE: i32 = 111;

impl Library {
    pub fn blas(name: &'static str, file: &str) -> Result<Library, Box<dyn Error>> {
        // SAFETY: loading a BLAS runs its initializers, which prepare buffers.
        let library = unsafe { Loaded::new(file) }?;
        Ok(Library::of(name, Code::Blas(library)))
    }

    pub fn gemm() -> Library {
        Library::of("gemm", Code::Gemm)
    }

    pub fn matrixmultiply() -> Library {
        Library::of("matrixmultiply", Code::MatrixMultiply)
    }

    fn of(name: &'static str, code: Code) -> Library {
        Library {
            name,
            code,
            products: None,
        }
    }

    /// The processor that OpenBLAS has chosen its kernels for; none of another library.
    pub fn kernels(&self) -> Option<String> {
        let Code::Blas(library) = &self.code else {
            return None;
        };
        // SAFETY: OpenBLAS's function of this name has this type, and gives a string that stays.
        unsafe {
            let core = library.get::<unsafe extern "C" fn() -> *const std::ffi::c_char>(
                b"openblas_get_corename\0",
            );
            let core = core.ok()?();
            Some(CStr::from_ptr(core).to_string_lossy().into_owned())
        }
    }

    fn multiply_as<T: Float>(&mut self, times: u32) -> Result<Duration, Box<dyn Error>> {
        let products = self.products.as_mut().ok_or("no operands were given")?;
        let multiply = T::multiply(&self.code)?;
        let [m, k, n] = products.extents;
        let (a, b, c) = (
            products.a.as_slice::<T>()?,
            products.b.as_slice::<T>()?,
            products.c.as_mut_slice::<T>()?,
        );
        let (time, ()) = timed(|| {
            for _ in 0..times {
                for product in 0..products.count {
                    multiply(
                        products.extents,
                        &a[product * m * k..][..m * k],
                        &b[product * k * n..][..k * n],
                        &mut c[product * m * n..][..m * n],
                    );
                }
            }
        });
        Ok(time)
    }
}

impl Multiplier for Library {
    fn name(&self) -> &str {
        self.name
    }

    fn take(&mut self, a: &Tensor, b: &Tensor) -> Result<bool, Box<dyn Error>> {
        let (count, [m, k]) = matrices(a)?;
        let (batch, [depth, n]) = matrices(b)?;
        if (batch, depth) != (count, k) {
            return Err("matrices of one product were expected".into());
        }
        let mut shape = a.shape().to_vec();
        shape.pop();
        shape.push(n as u64);
        self.products = Some(Products {
            extents: [m, k, n],
            count,
            a: a.clone(),
            b: b.clone(),
            c: Tensor::zeros(a.scalar_type(), &shape)?,
        });
        Ok(true)
    }

    fn multiply(&mut self, times: u32) -> Result<Duration, Box<dyn Error>> {
        let products = self.products.as_ref().ok_or("no operands were given")?;
        match products.a.scalar_type() {
            ScalarType::F32 => self.multiply_as::<f32>(times),
            ScalarType::F64 => self.multiply_as::<f64>(times),
            other => Err(format!("no library multiplies `{other}`").into()),
        }
    }
}

fn matrices(tensor: &Tensor) -> Result<(usize, [usize; 2]), Box<dyn Error>> {
    match *tensor.shape() {
        [rows, columns] => Ok((1, [rows as usize, columns as usize])),
        [count, rows, columns] => Ok((count as usize, [rows as usize, columns as usize])),
        _ => Err("a matrix, or a batch of them, was expected".into()),
    }
}

trait Float: Element {
    fn multiply(code: &Code) -> Result<Multiply<'_, Self>, Box<dyn Error>>;
}

impl Float for f32 {
    fn multiply(code: &Code) -> Result<Multiply<'_, f32>, Box<dyn Error>> {
        match code {
            Code::Blas(library) => blas(library, b"cblas_sgemm\0", [0.0, 1.0]),
            Code::Gemm => Ok(Box::new(|extents, a, b, c| {
                gemm(extents, a, b, c, [0.0, 1.0])
            })),
            Code::MatrixMultiply => Ok(Box::new(|[m, k, n], a, b, c| {
                let (a, b, c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
                let [depth, columns] = [k, n].map(|extent| extent as isize);
                // SAFETY: the slices are row-major matrices of these extents.
                unsafe {
                    let (alpha, beta) = (1.0, 0.0);
                    matrixmultiply::sgemm(
                        m, k, n, alpha, a, depth, 1, b, columns, 1, beta, c, columns, 1,
                    );
                }
            })),
        }
    }
}

impl Float for f64 {
    fn multiply(code: &Code) -> Result<Multiply<'_, f64>, Box<dyn Error>> {
        match code {
            Code::Blas(library) => blas(library, b"cblas_dgemm\0", [0.0, 1.0]),
            Code::Gemm => Ok(Box::new(|extents, a, b, c| {
                gemm(extents, a, b, c, [0.0, 1.0])
            })),
            Code::MatrixMultiply => Ok(Box::new(|[m, k, n], a, b, c| {
                let (a, b, c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
                let [depth, columns] = [k, n].map(|extent| extent as isize);
                // SAFETY: the slices are row-major matrices of these extents.
                unsafe {
                    let (alpha, beta) = (1.0, 0.0);
                    matrixmultiply::dgemm(
                        m, k, n, alpha, a, depth, 1, b, columns, 1, beta, c, columns, 1,
                    );
                }
            })),
        }
    }
}

fn blas<'l, T: Copy + 'l>(
    library: &'l Loaded,
    symbol: &[u8],
    [zero, one]: [T; 2],
) -> Result<Multiply<'l, T>, Box<dyn Error>> {
    // SAFETY: the functions of these names have this type.
    let gemm = unsafe { library.get::<Gemm<T>>(symbol)? };
    Ok(Box::new(move |extents, a, b, c| {
        let (a, b, c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
        let [m, k, n] = extents.map(|extent| extent as i32);
        let (order, as_is) = (ROW_MAJOR, NO_TRANSPOSE);
        // SAFETY: the slices are row-major matrices of these extents.
        unsafe { gemm(order, as_is, as_is, m, n, k, one, a, k, b, n, zero, c, n) };
    }))
}

fn gemm<T: 'static>([m, k, n]: [usize; 3], a: &[T], b: &[T], c: &mut [T], [zero, one]: [T; 2]) {
    let [depth, columns] = [k, n].map(|extent| extent as isize);
    // SAFETY: the slices are row-major matrices of these extents.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            c.as_mut_ptr(),
            1,
            columns,
            false,
            a.as_ptr(),
            1,
            depth,
            b.as_ptr(),
            1,
            columns,
            zero,
            one,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}
