use std::path::PathBuf;
use std::process::Command;

/// A tool of the LLVM that this is built with.
pub fn llvm(tool: &str) -> Command {
    let folder = std::env::var_os("LLVM_TOOLS").map(PathBuf::from);
    Command::new(folder.unwrap_or_default().join(tool))
}

/// The output of a command that succeeds: what it prints, and its notes.
pub fn run(command: &mut Command) -> Result<(String, String), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output();
    let output = output.map_err(|error| format!("{name}: {error}; is it installed?"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output.status.success() {
        true => Ok((text(&output.stdout), text(&output.stderr))),
        false => Err(format!("{name}: {}{}", output.status, text(&output.stderr))),
    }
}
