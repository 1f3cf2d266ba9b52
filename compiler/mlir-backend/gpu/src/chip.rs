use mlir_pipeline::MlirError;

/// Who makes a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Vendor {
    Nvidia,
    Amd,
}

/// A chip that this LLVM makes code for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chip {
    pub vendor: Vendor,
    name: &'static str,
}

impl Chip {
    /// # Errors
    /// [`MlirError::InvalidGpuChip`] with the names that are nearest.
    pub fn find(vendor: Vendor, name: &str) -> Result<Chip, MlirError> {
        match vendor.chips().iter().find(|&&known| known == name) {
            Some(name) => Ok(Chip { vendor, name }),
            None => Err(MlirError::InvalidGpuChip {
                chip: name.to_string(),
                nearest: nearest(vendor, name),
            }),
        }
    }

    /// The chip to compile for where a device says that it is one: of AMD's that very chip, of
    /// NVIDIA's the newest that is not newer, since a driver takes PTX for every older one.
    ///
    /// # Errors
    /// As of [`Chip::find`].
    pub fn of_device(vendor: Vendor, name: &str) -> Result<Chip, MlirError> {
        let newest = number(vendor, name).and_then(|device| {
            let older = plain(vendor)
                .filter(|chip| number(vendor, chip).is_some_and(|chip| chip <= device));
            older.max_by_key(|chip| number(vendor, chip))
        });
        match (vendor, newest) {
            (Vendor::Nvidia, Some(name)) => Ok(Chip { vendor, name }),
            (Vendor::Nvidia, None) | (Vendor::Amd, _) => Chip::find(vendor, name),
        }
    }

    pub fn name(self) -> &'static str {
        self.name
    }
}

impl Chip {
    /// The most blocks of a grid along x, y and z: what the driver takes, and with our threads a
    /// block leaves countable, since HIP holds the threads of an axis in 32 bits.
    pub(crate) fn blocks(self) -> [u64; 3] {
        const SHORT: u64 = 65_535;
        let x = match (self.vendor, self.name) {
            (Vendor::Nvidia, "sm_20" | "sm_21") => SHORT,
            (Vendor::Nvidia, _) => i32::MAX as u64,
            (Vendor::Amd, _) => i32::MAX as u64 / 256,
        };
        [x, SHORT, SHORT]
    }

    /// The shared memory of a kernel that does not ask for more when it is launched.
    pub(crate) fn shared_bytes(self) -> u64 {
        match self.vendor {
            Vendor::Nvidia => 48 << 10,
            Vendor::Amd => 64 << 10,
        }
    }

    /// Whether a grid may have so many blocks along an axis, x, y or z, of so many threads along
    /// it: what the driver takes.
    pub fn holds(self, axis: usize, blocks: u64, threads: u64) -> bool {
        let most = self.blocks().get(axis).copied().unwrap_or(0);
        let most_threads = match (self.vendor, axis) {
            (Vendor::Nvidia, 2) => 64,
            (Vendor::Nvidia | Vendor::Amd, _) => 1024,
        };
        let countable = match self.vendor {
            Vendor::Nvidia => u64::MAX,
            // As above.
            Vendor::Amd => i32::MAX as u64,
        };
        threads <= most_threads && blocks <= most && blocks.saturating_mul(threads) <= countable
    }
}

impl Vendor {
    pub fn chips(self) -> &'static [&'static str] {
        match self {
            Vendor::Nvidia => NVIDIA,
            Vendor::Amd => AMD,
        }
    }
}

/// The three chips of a vendor whose numbers are nearest; none for what is no number of its chips.
fn nearest(vendor: Vendor, wanted: &str) -> Vec<String> {
    let Some(wanted) = number(vendor, wanted) else {
        return Vec::new();
    };
    let names = plain(vendor);
    let mut names: Vec<(u32, &str)> = names
        .filter_map(|name| Some((number(vendor, name)?.abs_diff(wanted), name)))
        .collect();
    names.sort_by_key(|&(distance, _)| distance);
    let names = names.into_iter().take(3);
    names.map(|(_, name)| name.to_string()).collect()
}

/// A vendor's chips without those of NVIDIA's with a letter: code for one runs on that one alone.
fn plain(vendor: Vendor) -> impl Iterator<Item = &'static str> {
    let chips = vendor.chips().iter().copied();
    chips.filter(move |chip| vendor == Vendor::Amd || !chip.ends_with(char::is_alphabetic))
}

/// By which chips are told apart: NVIDIA's compute capability, a letter after it left out; of AMD's
/// the version, which ends in two hexadecimal digits.
fn number(vendor: Vendor, name: &str) -> Option<u32> {
    match vendor {
        Vendor::Nvidia => {
            let digits = name.strip_prefix("sm")?.trim_start_matches('_');
            let digits = digits.strip_suffix(char::is_alphabetic).unwrap_or(digits);
            digits.parse::<u16>().ok().map(u32::from)
        }
        Vendor::Amd => {
            let version = name.strip_prefix("gfx")?;
            let (major, minor) = version.split_at_checked(version.len().checked_sub(2)?)?;
            let minor = u8::from_str_radix(minor, 16).ok()?;
            Some((u32::from(major.parse::<u16>().ok()?) << 8) + u32::from(minor))
        }
    }
}

/// What `llc -mtriple=nvptx64 -mcpu=help` of LLVM 23 lists; each makes PTX.
const NVIDIA: &[&str] = &[
    "sm_20", "sm_21", "sm_30", "sm_32", "sm_35", "sm_37", "sm_50", "sm_52", "sm_53", "sm_60",
    "sm_61", "sm_62", "sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89",
    "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_100f", "sm_101", "sm_101a", "sm_101f", "sm_103",
    "sm_103a", "sm_103f", "sm_110", "sm_110a", "sm_110f", "sm_120", "sm_120a", "sm_120f", "sm_121",
    "sm_121a", "sm_121f",
];

/// What `llc -mtriple=amdgcn -mcpu=help` of LLVM 23 lists, without the names of generations; each
/// makes code.
const AMD: &[&str] = &[
    "gfx600",
    "gfx601",
    "gfx602",
    "gfx700",
    "gfx701",
    "gfx702",
    "gfx703",
    "gfx704",
    "gfx705",
    "gfx801",
    "gfx802",
    "gfx803",
    "gfx805",
    "gfx810",
    "gfx900",
    "gfx902",
    "gfx904",
    "gfx906",
    "gfx908",
    "gfx909",
    "gfx90a",
    "gfx90c",
    "gfx942",
    "gfx950",
    "gfx1010",
    "gfx1011",
    "gfx1012",
    "gfx1013",
    "gfx1030",
    "gfx1031",
    "gfx1032",
    "gfx1033",
    "gfx1034",
    "gfx1035",
    "gfx1036",
    "gfx1100",
    "gfx1101",
    "gfx1102",
    "gfx1103",
    "gfx1150",
    "gfx1151",
    "gfx1152",
    "gfx1153",
    "gfx1154",
    "gfx1170",
    "gfx1171",
    "gfx1172",
    "gfx1200",
    "gfx1201",
    "gfx1250",
    "gfx1251",
    "gfx1310",
    "gfx9-4-generic",
    "gfx9-generic",
    "gfx10-1-generic",
    "gfx10-3-generic",
    "gfx11-7-generic",
    "gfx11-generic",
    "gfx12-5-generic",
    "gfx12-generic",
    "gfx13-generic",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(vendor: Vendor, name: &str) -> Vec<String> {
        match Chip::find(vendor, name).unwrap_err() {
            MlirError::InvalidGpuChip { chip, nearest } => {
                assert_eq!(chip, name);
                nearest
            }
            error => panic!("{error}"),
        }
    }

    #[test]
    fn a_known_chip_is_found() {
        let chip = Chip::find(Vendor::Nvidia, "sm_90").unwrap();
        assert_eq!((chip.vendor, chip.name()), (Vendor::Nvidia, "sm_90"));
        assert!(Chip::find(Vendor::Amd, "gfx942").is_ok());
    }

    #[test]
    fn code_for_a_device_is_for_its_chip_or_an_older_one() {
        let chip = |vendor, name| Chip::of_device(vendor, name).map(Chip::name).ok();
        for (device, expected) in [
            ("sm_75", Some("sm_75")),
            ("sm_90", Some("sm_90")),
            ("sm_91", Some("sm_90")),
            ("sm_103", Some("sm_103")),
            ("sm_200", Some("sm_121")),
            ("sm_13", None),
            ("sm_", None),
        ] {
            assert_eq!(chip(Vendor::Nvidia, device), expected, "{device}");
        }
        assert_eq!(chip(Vendor::Amd, "gfx90a"), Some("gfx90a"));
        assert_eq!(chip(Vendor::Amd, "gfx943"), None);
    }

    #[test]
    fn an_unknown_one_is_refused_with_what_is_near() {
        for (vendor, name, near) in [
            (Vendor::Nvidia, "sm_42", &["sm_37", "sm_35", "sm_50"][..]),
            (Vendor::Nvidia, "sm_91", &["sm_90", "sm_89", "sm_88"]),
            (Vendor::Nvidia, "sm90", &["sm_90", "sm_89", "sm_88"]),
            (Vendor::Nvidia, "sm_90b", &["sm_90", "sm_89", "sm_88"]),
            (Vendor::Nvidia, "sm_999", &["sm_121", "sm_120", "sm_110"]),
            (Vendor::Nvidia, "sm_99999999", &[]),
            (Vendor::Nvidia, "sm_90},canonicalize{", &[]),
            (Vendor::Nvidia, "gfx942", &[]),
            (Vendor::Nvidia, "", &[]),
            (Vendor::Amd, "gfx943", &["gfx942", "gfx950", "gfx90c"]),
            (Vendor::Amd, "gfx1000", &["gfx1010", "gfx1011", "gfx1012"]),
            (Vendor::Amd, "gfx9", &[]),
            (Vendor::Amd, "gfx90é", &[]),
            (Vendor::Amd, "sm_90", &[]),
        ] {
            assert_eq!(refused(vendor, name), near, "{name}");
        }
    }
}
