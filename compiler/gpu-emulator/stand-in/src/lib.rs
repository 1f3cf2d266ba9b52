//! Stands in for the vendors' drivers, for tests: a shared library with the functions of `libcuda`
//! and `libamdhip64` that this project calls, over the emulator.
//!
//! The emulator takes bitcode, drivers PTX or a code object: the bitcode of one is found by its
//! hash. What the library does is said by variables of the environment:
//!
//! | variable | what it says |
//! |---|---|
//! | `STAND_IN_KERNELS` | the folder with a file `HASH.bc` for each PTX and code object: the xxh3-64 of its bytes, without the zero at the end of PTX, in 16 hexadecimal digits |
//! | `STAND_IN_REPORT` | the file that gets, at the exit, lines `calls FUNCTION COUNT` and `left KIND COUNT`, of what was not given back |
//! | `STAND_IN_FAIL` | `FUNCTION:N:CODE`: the N-th call of the function, from 1, does nothing but answer the code |
//! | `STAND_IN_CHIP` | `9.0` or `gfx942:xnack-`: which chip the devices are |
//! | `STAND_IN_DEVICES` | how many devices there are; 2 without it |

#[macro_use]
mod functions;

mod cuda;
mod driver;
mod hip;
mod image;
mod options;
