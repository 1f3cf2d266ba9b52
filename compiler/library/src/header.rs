//! The C header: what all of them share, and each body's prototype with a function over `DLTensor`.

mod checked;
mod prototype;
mod text;

use crate::function::Function;

const PRELUDE: &str = include_str!("prelude.h");
/// Where there are GPU bodies.
const GPU_PRELUDE: &str = include_str!("gpu.h");

pub(crate) fn header(name: &str, functions: &[Function]) -> String {
    let guard = format!("NEURO_LIBRARY_{name}_H_");
    let has_gpu = functions.iter().any(|function| function.vendor.is_some());
    let (link, gpu) = match has_gpu {
        true => (" -lneuro_gpu", format!("\n{GPU_PRELUDE}")),
        false => ("", String::new()),
    };
    let mut header = format!(
        "/* Made by neuro-mlir; changes are lost. Link with -l{name}{link} -lm.
 *
 * For each function of the program there is one over DLTensor, `neuro_` and its name, which checks
 * its arguments, calls the body, and fills `*failure`, unless that is null, where it does not return
 * NEURO_OK. The bodies' own symbols are for callers that give what these check. All of them may be
 * called from several threads at once. */
#ifndef {guard}
#define {guard}

{PRELUDE}{gpu}
#ifdef __cplusplus
extern \"C\" {{
#endif
"
    );
    for function in functions {
        header += "\n";
        header += &prototype::prototype(function);
        header += "\n";
        header += &checked::checked(function);
    }
    header += "
#ifdef __cplusplus
}
#endif

#endif
";
    header
}
