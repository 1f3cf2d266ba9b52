//! The format of a file test, which tests/README.md describes.

#![allow(
    dead_code,
    reason = "each test is a crate of its own, and uses a part of this"
)]

/// A program with what it is expected to do.
pub struct FileTest {
    /// The lines, without directives and without the errors at their ends.
    source: Vec<Line>,
    pub engines: Vec<String>,
    pub runs: Vec<Run>,
    pub errors: Vec<LineError>,
}

enum Line {
    /// With its number in the file.
    Source(usize, String),
    Run(usize),
}

/// A command and what it does.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub words: Vec<String>,
    pub status: i32,
    pub output: Output,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    Lines(Vec<String>),
    /// Whatever it is, every engine prints it.
    Same,
}

/// An error at a line of the source, from 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineError {
    pub line: usize,
    pub message: String,
}

const ENGINES: [&str; 4] = ["interpreter", "jit", "emulated-nvidia", "emulated-amd"];
const ERROR: &str = " // error: ";

impl FileTest {
    pub fn parse(text: &str) -> Result<FileTest, String> {
        let mut test = FileTest {
            source: Vec::new(),
            engines: ENGINES.map(str::to_string).to_vec(),
            runs: Vec::new(),
            errors: Vec::new(),
        };
        for (index, line) in text.lines().enumerate() {
            test.line(index + 1, line)
                .map_err(|message| format!("line {}: {message}", index + 1))?;
        }
        match test.runs.is_empty() {
            true => Err("there is no `// run:` line".to_string()),
            false => Ok(test),
        }
    }

    fn line(&mut self, number: usize, line: &str) -> Result<(), String> {
        let last = self.runs.last_mut().ok_or("a `// run:` line comes first");
        if let Some(words) = line.strip_prefix("// run:") {
            self.source.push(Line::Run(self.runs.len()));
            self.runs.push(Run {
                words: words.split_whitespace().map(str::to_string).collect(),
                status: 0,
                output: Output::Lines(Vec::new()),
            });
        } else if let Some(text) = line.strip_prefix("// out:") {
            let text = text.strip_prefix(' ').unwrap_or(text);
            match &mut last?.output {
                Output::Lines(lines) => lines.push(text.to_string()),
                Output::Same => return Err("`out` after `same`".to_string()),
            }
        } else if line == "// same" {
            last?.output = Output::Same;
        } else if let Some(status) = line.strip_prefix("// status:") {
            last?.status = status.trim().parse().map_err(|_| "a status is a number")?;
        } else {
            if let Some(engines) = line.strip_prefix("// engines:") {
                self.engines = engines.split_whitespace().map(str::to_string).collect();
            }
            let mut parts = line.split(ERROR);
            let source = parts.next().unwrap_or_default().to_string();
            self.source.push(Line::Source(number, source));
            self.errors.extend(parts.map(|message| LineError {
                line: number,
                message: message.to_string(),
            }));
        }
        Ok(())
    }

    /// The program.
    pub fn source(&self) -> String {
        let lines = self.source.iter();
        let lines = lines.filter_map(|line| match line {
            Line::Source(_, text) => Some(text.as_str()),
            Line::Run(_) => None,
        });
        lines.flat_map(|line| [line, "\n"]).collect()
    }

    /// The file with what was seen in place of what was expected. The errors' lines are those of
    /// the file as it was read.
    pub fn updated(&self, runs: &[Run], errors: &[LineError]) -> String {
        let mut text = String::new();
        for line in &self.source {
            match line {
                Line::Run(index) => text += &runs[*index].to_string(),
                Line::Source(number, source) => {
                    text += source;
                    for error in errors.iter().filter(|error| error.line == *number) {
                        text += ERROR;
                        text += &error.message;
                    }
                    text.push('\n');
                }
            }
        }
        text
    }
}

impl std::fmt::Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(
            f,
            "{}",
            format!("// run: {}", self.words.join(" ")).trim_end()
        )?;
        if self.status != 0 {
            writeln!(f, "// status: {}", self.status)?;
        }
        match &self.output {
            Output::Same => writeln!(f, "// same"),
            Output::Lines(lines) => lines.iter().try_for_each(|line| match line.as_str() {
                "" => writeln!(f, "// out:"),
                line => writeln!(f, "// out: {line}"),
            }),
        }
    }
}
