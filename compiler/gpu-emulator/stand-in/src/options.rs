use std::path::PathBuf;
use std::str::FromStr;

/// What the environment says.
pub(crate) struct Options {
    pub(crate) kernels: Option<PathBuf>,
    pub(crate) report: Option<PathBuf>,
    pub(crate) fail: Option<Fail>,
    pub(crate) chip: Option<String>,
    pub(crate) devices: i32,
}

/// A call that fails: its function, which one of them, and what it answers.
pub(crate) struct Fail {
    pub(crate) function: String,
    pub(crate) number: u64,
    pub(crate) code: i32,
}

impl Options {
    pub(crate) fn read() -> Options {
        let path = |name| std::env::var_os(name).map(PathBuf::from);
        Options {
            kernels: path("STAND_IN_KERNELS"),
            report: path("STAND_IN_REPORT"),
            fail: read("STAND_IN_FAIL"),
            chip: read("STAND_IN_CHIP"),
            devices: read("STAND_IN_DEVICES").unwrap_or(2),
        }
    }
}

/// # Panics
/// Where the variable is not as documented: a test has a fault.
fn read<T: FromStr<Err: std::fmt::Debug>>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|error| panic!("{name}={text}: {error:?}")),
    )
}

impl FromStr for Fail {
    type Err = String;

    fn from_str(text: &str) -> Result<Fail, String> {
        let mut parts = text.split(':');
        let (Some(function), Some(number), Some(code)) = (parts.next(), parts.next(), parts.next())
        else {
            return Err("FUNCTION:N:CODE was expected".to_string());
        };
        let wrong = |error: std::num::ParseIntError| error.to_string();
        Ok(Fail {
            function: function.to_string(),
            number: number.parse().map_err(wrong)?,
            code: code.parse().map_err(wrong)?,
        })
    }
}
