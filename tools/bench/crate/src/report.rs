use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

/// The command line that every benchmark takes.
#[derive(clap::Parser)]
pub struct Arguments {
    /// Measures only the cases whose name has this in it.
    #[arg(default_value = "")]
    pub filter: String,
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
    /// What the ratio should be at least, where it was set.
    pub bar: Option<f64>,
}

impl Row {
    /// A case measured in time, of which less is better.
    pub fn time(case: impl Into<String>, ours: Duration, (name, peer): (&str, Duration)) -> Self {
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        Row {
            case: case.into(),
            ours: milliseconds(ours),
            peer: milliseconds(peer),
            peer_name: name.into(),
            unit: "ms".into(),
            ratio: peer.as_secs_f64() / ours.as_secs_f64(),
            bar: None,
        }
    }

    /// A case measured in bytes a second, of which more is better.
    pub fn rate(case: impl Into<String>, ours: f64, (name, peer): (&str, f64)) -> Self {
        Row {
            case: case.into(),
            ours: ours / 1e9,
            peer: peer / 1e9,
            peer_name: name.into(),
            unit: "GB/s".into(),
            ratio: ours / peer,
            bar: None,
        }
    }

    pub fn with_bar(self, bar: impl Into<Option<f64>>) -> Self {
        Row {
            bar: bar.into(),
            ..self
        }
    }
}

/// The rows of a benchmark: each is printed as soon as it is there.
#[derive(Default)]
pub struct Table {
    rows: Vec<Row>,
}

impl Table {
    pub fn add(&mut self, row: Row) {
        if self.rows.is_empty() {
            println!(
                "{:<44} {:>14} {:>14} {:>7}",
                "case", "ours", "peer", "ratio"
            );
        }
        let side = |value: f64| format!("{value:.2} {}", row.unit);
        // Two measurements differ by some hundredths.
        let bar = match row.bar {
            Some(bar) if row.ratio < bar - 0.03 => format!(", below {bar:.2}"),
            _ => String::new(),
        };
        println!(
            "{:<44} {:>14} {:>14} {:>7.2}  {}{bar}",
            row.case,
            side(row.ours),
            side(row.peer),
            row.ratio,
            row.peer_name
        );
        self.rows.push(row);
    }

    /// Writes the rows where the arguments say.
    pub fn finish(self, arguments: &Arguments) -> Result<(), Box<dyn Error>> {
        if let Some(path) = &arguments.json {
            let text = serde_json::to_string_pretty(&self.rows)? + "\n";
            std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(())
    }
}
