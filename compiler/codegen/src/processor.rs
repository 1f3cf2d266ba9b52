use std::str::FromStr;

use inkwell::targets::TargetMachine;
use thiserror::Error;

/// Which processors of this machine's architecture code is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processor {
    pub(crate) cpu: String,
    /// In LLVM's notation, `+avx2,-avx512f`; beyond those that the name stands for.
    pub(crate) features: String,
    vector_bits: u32,
}

/// The processors that LLVM makes 64-bit code for, one a line: LLVM's name, and how many bits the
/// longest vectors have. LLVM itself answers a name that it does not know by printing.
#[cfg(target_arch = "x86_64")]
const NAMES: &str = include_str!("processors/x86_64.txt");
#[cfg(target_arch = "aarch64")]
const NAMES: &str = include_str!("processors/aarch64.txt");
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const NAMES: &str = "generic 128\n";

const BASELINE: &str = if cfg!(target_arch = "x86_64") {
    "x86-64"
} else {
    "generic"
};

impl Processor {
    /// Every processor of the architecture.
    pub fn baseline() -> Processor {
        Processor {
            cpu: BASELINE.to_string(),
            features: String::new(),
            vector_bits: 128,
        }
    }

    /// The one that this runs on.
    pub fn native() -> Processor {
        let features = TargetMachine::get_host_cpu_features().to_string();
        let has = |feature| features.split(',').any(|one| one == feature);
        Processor {
            vector_bits: match (has("+avx512f"), has("+avx2")) {
                (true, _) => 512,
                (false, true) => 256,
                (false, false) => 128,
            },
            cpu: TargetMachine::get_host_cpu_name().to_string(),
            features,
        }
    }

    /// The names that are read as a processor, besides `native`.
    pub fn names() -> impl Iterator<Item = &'static str> {
        table().map(|(name, _)| name)
    }

    /// How long vectors are worth having.
    pub fn vector_bits(&self) -> u32 {
        self.vector_bits
    }
}

fn table() -> impl Iterator<Item = (&'static str, u32)> {
    NAMES.lines().filter_map(|line| {
        let (name, bits) = line.split_once(' ')?;
        Some((name, bits.parse().ok()?))
    })
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{name}` is no processor known here: `native`, or one of LLVM's names such as `{BASELINE}` was expected"
)]
pub struct UnknownProcessor {
    pub name: String,
}

impl FromStr for Processor {
    type Err = UnknownProcessor;

    fn from_str(name: &str) -> Result<Processor, UnknownProcessor> {
        if name == "native" {
            return Ok(Processor::native());
        }
        match table().find(|(known, _)| *known == name) {
            Some((name, vector_bits)) => Ok(Processor {
                cpu: name.to_string(),
                features: String::new(),
                vector_bits,
            }),
            None => Err(UnknownProcessor {
                name: name.to_string(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read() {
        assert_eq!(BASELINE.parse(), Ok(Processor::baseline()));
        assert_eq!("native".parse(), Ok(Processor::native()));
        assert_eq!(NAMES.lines().count(), Processor::names().count());
        for name in [
            "",
            "x86-64 ",
            "x86-64 128",
            "pentium9",
            "i386",
            "x86-64\ngeneric",
        ] {
            let name = name.to_string();
            assert_eq!(name.parse::<Processor>(), Err(UnknownProcessor { name }));
        }
    }
}
