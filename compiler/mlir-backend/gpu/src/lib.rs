//! GPU tiling, the vendors' pipelines and serialization (backend specification, §GPU kernels).
//! Nothing is lowered for a GPU yet.
//!
//! With `kernel`, the only part that knows a vendor.
