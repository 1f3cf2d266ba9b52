/// Whose device code is run, under whose limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vendor {
    Nvidia,
    Amd,
}

/// What a launch may ask for.
pub(crate) struct Limits {
    /// Threads of a block.
    pub(crate) threads: u64,
    /// Threads of a block along each axis.
    pub(crate) block: [u64; 3],
    /// Blocks along each axis.
    pub(crate) grid: [u64; 3],
    /// Bytes of shared memory that a kernel has without asking for more.
    pub(crate) shared: u64,
}

impl Vendor {
    /// The same for every chip of the vendor that this compiler knows.
    pub(crate) fn limits(self) -> Limits {
        let grid = [(1 << 31) - 1, 65_535, 65_535];
        match self {
            Vendor::Nvidia => Limits {
                threads: 1024,
                block: [1024, 1024, 64],
                grid,
                shared: 48 << 10,
            },
            Vendor::Amd => Limits {
                threads: 1024,
                block: [1024; 3],
                grid,
                shared: 64 << 10,
            },
        }
    }

    /// The architecture in a module's triple.
    pub(crate) fn architecture(self) -> &'static str {
        match self {
            Vendor::Nvidia => "nvptx64",
            Vendor::Amd => "amdgcn",
        }
    }

    /// LLVM's number of the calling convention of kernels.
    pub(crate) fn kernel_convention(self) -> u32 {
        match self {
            Vendor::Nvidia => 71,
            Vendor::Amd => 91,
        }
    }
}
