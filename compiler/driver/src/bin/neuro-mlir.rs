use std::process::ExitCode;

fn main() -> ExitCode {
    driver::main(std::env::args_os())
}
