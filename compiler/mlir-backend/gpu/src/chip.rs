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
        let names = vendor.chips();
        match names.iter().find(|&&known| known == name) {
            Some(name) => Ok(Chip { vendor, name }),
            None => Err(MlirError::InvalidGpuChip {
                chip: name.to_string(),
                nearest: nearest(names, name),
            }),
        }
    }

    /// The chip to compile for where a device says that it is one: of AMD's that very chip, of
    /// NVIDIA's the newest that is not newer, since a driver takes PTX for every older one.
    ///
    /// # Errors
    /// As of [`Chip::find`].
    pub fn of_device(vendor: Vendor, name: &str) -> Result<Chip, MlirError> {
        let number = |name: &str| name.strip_prefix("sm_")?.parse::<u32>().ok();
        let newest = number(name).and_then(|device| {
            let older = NVIDIA.iter().filter(|&&chip| {
                // Code for a chip with a letter runs on that one alone.
                number(chip).is_some_and(|chip| chip <= device)
            });
            older.max_by_key(|&&chip| number(chip))
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

/// At most three of the names that differ in the fewest letters, those that begin alike first; none
/// that differs in more than two.
fn nearest(names: &[&str], wanted: &str) -> Vec<String> {
    // What nobody writes is not compared with.
    let wanted: Vec<char> = wanted.chars().take(32).collect();
    let alike = |name: &str| {
        let pairs = name.chars().zip(&wanted);
        pairs.take_while(|(a, b)| a == *b).count()
    };
    let mut names: Vec<(usize, &str)> = names
        .iter()
        .map(|&name| (distance(&wanted, name), name))
        .filter(|&(distance, _)| distance <= 2)
        .collect();
    names.sort_by_key(|&(distance, name)| (distance, std::cmp::Reverse(alike(name))));
    let least = names.first().map(|&(distance, _)| distance);
    let names = names
        .into_iter()
        .take_while(|&(distance, _)| Some(distance) == least);
    names.take(3).map(|(_, name)| name.to_string()).collect()
}

/// How many letters are to be put in, left out or changed to make one word of the other.
fn distance(a: &[char], b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let changed = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
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
        assert_eq!(refused(Vendor::Nvidia, "sm90"), ["sm_90"]);
        assert_eq!(refused(Vendor::Amd, "gfx943"), ["gfx942"]);
        assert_eq!(
            refused(Vendor::Nvidia, "sm_91"),
            ["sm_90", "sm_21", "sm_61"]
        );
        assert_eq!(refused(Vendor::Amd, "sm_90"), [""; 0]);
        assert_eq!(refused(Vendor::Nvidia, "sm_90},canonicalize{"), [""; 0]);
        assert_eq!(refused(Vendor::Nvidia, ""), [""; 0]);
    }
}
