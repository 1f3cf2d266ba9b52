//! What was seen of each kernel, and the tables of it.

use std::collections::BTreeMap;
use std::sync::Mutex;

/// A kernel's machine code for a chip.
pub struct Row {
    pub program: String,
    pub chip: String,
    pub kernel: String,
    /// A thread's.
    pub registers: u64,
    /// Bytes on NVIDIA, registers on AMD.
    pub spilled: u64,
    /// Bytes of a thread's own memory.
    pub private: u64,
    /// Bytes that a block's threads share.
    pub shared: u64,
    /// What in it may have fused multiply-adds; where nothing may, it was searched for them.
    pub expands: Option<&'static str>,
}

impl Row {
    pub fn new(chip: &str, kernel: &str) -> Row {
        Row {
            program: String::new(),
            chip: chip.to_string(),
            kernel: kernel.to_string(),
            registers: 0,
            spilled: 0,
            private: 0,
            shared: 0,
            expands: None,
        }
    }
}

static ROWS: Mutex<Vec<Row>> = Mutex::new(Vec::new());

pub fn add(rows: Vec<Row>) {
    ROWS.lock().unwrap().extend(rows);
}

/// Prints a row a chip. Of `all` programs' kernels, most were searched.
pub fn print(all: bool) -> Result<(), String> {
    let rows = ROWS.lock().unwrap();
    let mut chips: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows.iter() {
        chips.entry(&row.chip).or_default().push(row);
    }
    if chips.is_empty() {
        return Ok(());
    }
    println!(
        "| chip | kernels | searched for fused operations | not searched, for | most registers | spills | private memory | shared memory |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (chip, rows) in &chips {
        let searched = rows.iter().filter(|row| row.expands.is_none()).count();
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for reason in rows.iter().filter_map(|row| row.expands) {
            *reasons.entry(reason).or_default() += 1;
        }
        let reasons = reasons
            .iter()
            .map(|(reason, count)| format!("{reason} {count}"));
        let reasons: Vec<String> = reasons.collect();
        let most = |of: fn(&Row) -> u64| {
            let most = rows.iter().max_by_key(|row| of(row));
            most.filter(|row| of(row) > 0)
                .map_or("0".to_string(), |row| {
                    format!("{} (`{}`, {})", of(row), row.kernel, row.program)
                })
        };
        println!(
            "| {chip} | {} | {searched} | {} | {} | {} | {} | {} |",
            rows.len(),
            reasons.join(", "),
            most(|row| row.registers),
            most(|row| row.spilled),
            most(|row| row.private),
            most(|row| row.shared),
        );
        if all && searched * 5 < rows.len() * 4 {
            return Err(format!(
                "of {}'s kernels only {searched} were searched",
                chip
            ));
        }
    }
    Ok(())
}
