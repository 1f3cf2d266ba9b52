//! Calls the bodies of model.nr by their own symbols, on buffers of ours. A body checks nothing of
//! its arguments: docs/abi.md says what it takes, and what a status word means.

// A tensor is its allocated pointer and its pointer, here the same, offset, extents and strides.
#[rustfmt::skip]
#[link(name = "model", kind = "static")]
#[link(name = "m")]
unsafe extern "C" {
    fn __neuro_mlir_dense(
        _: *const f32, x: *const f32, _: i64, _: i64, _: i64, _: i64, _: i64,
        _: *const f32, w: *const f32, _: i64, _: i64, _: i64, _: i64, _: i64,
        _: *const f32, b: *const f32, _: i64, _: i64, _: i64,
        _: *mut f32, out: *mut f32, _: i64, _: i64, _: i64, _: i64, _: i64,
    );
    fn __neuro_mlir_best(
        _: *const f32, scores: *const f32, _: i64, _: i64, _: i64,
        _: *mut f32, out0: *mut f32, _: i64, _: i64, _: i64,
        _: *mut i32, out1: *mut i32, _: i64, _: i64, _: i64,
    );
    fn __neuro_mlir_scale(
        _: *const i32, a: *const i32, _: i64, _: i64, _: i64, _: i64, _: i64,
        k: i32,
        _: *mut u64, status: *mut u64, _: i64,
        _: *mut i32, out: *mut i32, _: i64, _: i64, _: i64, _: i64, _: i64,
    );
}

#[rustfmt::skip]
fn dense(x: &[f32; 6], w: &[f32; 12], b: &[f32; 4]) -> [f32; 8] {
    let mut out = [0.0; 8];
    let written = out.as_mut_ptr();
    // SAFETY: the buffers have the shapes of the descriptors, and `out` is no other's.
    unsafe {
        __neuro_mlir_dense(
            x.as_ptr(), x.as_ptr(), 0, 2, 3, 3, 1,
            w.as_ptr(), w.as_ptr(), 0, 3, 4, 4, 1,
            b.as_ptr(), b.as_ptr(), 0, 4, 1,
            written, written, 0, 2, 4, 4, 1,
        );
    }
    out
}

#[rustfmt::skip]
fn best(scores: &[f32; 6]) -> ([f32; 3], [i32; 3]) {
    let (mut top, mut at) = ([0.0; 3], [0; 3]);
    let (top_written, at_written) = (top.as_mut_ptr(), at.as_mut_ptr());
    // SAFETY: as above, for both results.
    unsafe {
        __neuro_mlir_best(
            scores.as_ptr(), scores.as_ptr(), 0, 6, 1,
            top_written, top_written, 0, 3, 1,
            at_written, at_written, 0, 3, 1,
        );
    }
    (top, at)
}

/// The product, or the index of the first element that overflows.
#[rustfmt::skip]
fn scale(a: &[i32; 6], k: i32) -> Result<[i32; 6], [u64; 2]> {
    let (mut out, mut status) = ([0; 6], u64::MAX);
    let (written, word) = (out.as_mut_ptr(), &raw mut status);
    // SAFETY: as above, and the status word is its own.
    unsafe {
        __neuro_mlir_scale(
            a.as_ptr(), a.as_ptr(), 0, 2, 3, 3, 1,
            k,
            word, word, 0,
            written, written, 0, 2, 3, 3, 1,
        );
    }
    if status == u64::MAX {
        return Ok(out);
    }
    // operation << 52 | position << 12 | check; the one check is that of `a * k`.
    let position = status >> 12 & ((1 << 40) - 1);
    Err([position / 3, position % 3])
}

fn main() {
    let w: [f32; 12] = std::array::from_fn(|at| 0.25 * at as f32);
    let y = dense(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &w, &[0.5, 1.0, 1.5, 2.0]);
    println!("dense: {}", y.map(|value| value.to_string()).join(" "));

    let (top, at) = best(&[0.5, -1.0, 8.0, 3.0, 8.0, 2.0]);
    let best: [String; 3] = std::array::from_fn(|k| format!("{} at {}", top[k], at[k]));
    println!("best: {}", best.join(" "));

    for k in [7, 500_000_000] {
        match scale(&[1, 2, 3, 4, 5, 6], k) {
            Ok(scaled) => println!("scale: {}", scaled.map(|value| value.to_string()).join(" ")),
            Err(index) => println!("scale: overflow at element {index:?}"),
        }
    }
}
