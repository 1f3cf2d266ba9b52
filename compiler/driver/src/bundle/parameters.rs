use std::collections::HashMap;

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    pub bytes: usize,
    pub is_pointer: bool,
}

/// The parameters of each kernel in PTX; `None` for one of another form than LLVM writes.
pub fn of(ptx: &str) -> Option<HashMap<String, Vec<Parameter>>> {
    let mut kernels = HashMap::new();
    for kernel in ptx.split(".entry ").skip(1) {
        let (name, rest) = kernel.split_once('(')?;
        let (list, _) = rest.split_once(')')?;
        let parameters = list.split(',').map(str::trim).filter(|one| !one.is_empty());
        let parameters = parameters.map(parameter).collect::<Option<_>>()?;
        kernels.insert(name.trim().to_string(), parameters);
    }
    Some(kernels)
}

/// `.param .u64 .ptr .align 1 NAME`, or `.param .align 8 .b8 NAME[16]`.
fn parameter(text: &str) -> Option<Parameter> {
    let mut bytes = 0;
    let mut is_pointer = false;
    let words = text.strip_prefix(".param")?.split_whitespace();
    for word in words {
        match word {
            ".b8" | ".u8" | ".s8" => bytes = 1,
            ".b16" | ".u16" | ".s16" | ".f16" => bytes = 2,
            ".b32" | ".u32" | ".s32" | ".f32" => bytes = 4,
            ".b64" | ".u64" | ".s64" | ".f64" => bytes = 8,
            ".ptr" => is_pointer = true,
            _ => {}
        }
    }
    if let Some((_, count)) = text.split_once('[') {
        bytes *= count.strip_suffix(']')?.parse::<usize>().ok()?;
    }
    (bytes > 0).then_some(Parameter { bytes, is_pointer })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parameters_of_each_kernel() {
        let ptx = "\
.visible .entry f(
\t.param .u64 .ptr .align 1 f_param_0,
\t.param .f32 f_param_1,
\t.param .align 4 .b8 f_param_2[12]
)
.maxntid 256, 1, 1
{ ret; }
.visible .entry g()
{ ret; }";
        let kernels = of(ptx).unwrap();
        let parameter = |bytes, is_pointer| Parameter { bytes, is_pointer };
        assert_eq!(
            kernels["f"],
            [
                parameter(8, true),
                parameter(4, false),
                parameter(12, false)
            ]
        );
        assert_eq!(kernels["g"], []);
    }

    #[test]
    fn text_of_another_form() {
        assert_eq!(of(""), Some(HashMap::new()));
        for text in [
            ".entry f",
            ".entry f(",
            ".entry f(.param .v4 x)",
            ".entry f(.reg .u64 x)",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
