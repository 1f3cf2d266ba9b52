//! What every benchmark prints: ours beside a named peer's of the same run, as a ratio.

use std::error::Error;
use std::path::PathBuf;

use serde::Serialize;

/// The command line that every benchmark takes.
#[derive(clap::Parser)]
pub struct Arguments {
    /// Also writes the table there, as a list of objects.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// One measured case.
#[derive(Serialize)]
pub struct Row {
    pub case: String,
    pub ours: f64,
    pub peer: f64,
    pub peer_name: String,
    pub unit: String,
    /// Above 1 where ours is faster, whatever the unit.
    pub ratio: f64,
}

impl Row {
    /// A case measured in time, of which less is better.
    pub fn time(case: impl Into<String>, unit: &str, ours: f64, peer: (&str, f64)) -> Self {
        Row {
            case: case.into(),
            ours,
            peer: peer.1,
            peer_name: peer.0.into(),
            unit: unit.into(),
            ratio: peer.1 / ours,
        }
    }
}

/// Prints the rows as a table, and writes them where the arguments say.
pub fn report(arguments: &Arguments, rows: &[Row]) -> Result<(), Box<dyn Error>> {
    println!(
        "{:<28} {:>12} {:>12} {:>7}",
        "case", "ours", "peer", "ratio"
    );
    for row in rows {
        println!(
            "{:<28} {:>9.2} {unit} {:>9.2} {unit} {:>7.2}  {}",
            row.case,
            row.ours,
            row.peer,
            row.ratio,
            row.peer_name,
            unit = row.unit
        );
    }
    if let Some(path) = &arguments.json {
        let text = serde_json::to_string_pretty(rows)? + "\n";
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}
