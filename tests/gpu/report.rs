//! What was seen of each kernel, and the tables of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use crate::program::{AMD, NVIDIA};

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

static NOTES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// What is printed besides.
pub fn note(text: String) {
    NOTES.lock().unwrap().push(text);
}

/// Prints a row a chip, and the kernels that were not searched. Of `all` programs' kernels, most were.
pub fn print(all: bool) -> Result<(), String> {
    for note in NOTES.lock().unwrap().iter() {
        println!("{note}");
    }
    let rows = ROWS.lock().unwrap();
    if rows.is_empty() {
        return Ok(());
    }
    println!(
        "| chip | kernels | searched for fused operations | most registers | spills | private memory | shared memory |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut few = Vec::new();
    for chip in NVIDIA.into_iter().chain(AMD) {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.chip == chip).collect();
        let searched = rows.iter().filter(|row| row.expands.is_none()).count();
        let most = |of: fn(&Row) -> u64| {
            let most = rows.iter().max_by_key(|row| of(row));
            let most = most.filter(|row| of(row) > 0);
            most.map_or("0".to_string(), |row| {
                format!("{} (`{}`, {})", of(row), row.kernel, row.program)
            })
        };
        println!(
            "| {chip} | {} | {searched} | {} | {} | {} | {} |",
            rows.len(),
            most(|row| row.registers),
            most(|row| row.spilled),
            most(|row| row.private),
            most(|row| row.shared),
        );
        if searched * 5 < rows.len() * 4 {
            few.push(format!("of {chip}'s kernels only {searched} were searched"));
        }
    }
    let mut others: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for row in rows.iter() {
        if let Some(reason) = row.expands {
            let kernel = format!("{} of {}", row.kernel, row.program);
            others.entry(reason).or_default().insert(kernel);
        }
    }
    for (reason, kernels) in others {
        let kernels: Vec<String> = kernels.into_iter().collect();
        println!("not searched, for {reason}: {}", kernels.join(", "));
    }
    match all && !few.is_empty() {
        true => Err(few.join("; ")),
        false => Ok(()),
    }
}
