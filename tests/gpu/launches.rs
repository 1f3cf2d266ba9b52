//! The launches of the host functions, as their LLVM IR has them.

use std::collections::HashMap;

/// How a kernel is launched.
#[derive(Debug)]
pub struct Launch {
    pub kernel: String,
    /// Offset and size of each parameter, in bytes.
    pub parameters: Vec<(u64, u64)>,
    /// Threads of a block.
    pub threads: u64,
}

pub fn launches(llvm: &str) -> Result<Vec<Launch>, String> {
    let mut types = HashMap::new();
    let (mut parameters, mut kernel) = (None, None);
    let mut launches = Vec::new();
    for line in llvm.lines().map(str::trim) {
        let fault = || format!("in the host functions: {line}");
        if let Some((name, fields)) = line.split_once(" = type {") {
            let fields = fields.trim_end_matches('}').trim().split(", ");
            let fields = fields.filter(|field| !field.is_empty());
            types.insert(name, layout(fields).ok_or_else(fault)?);
        } else if let Some((_, ty)) = line.split_once(" = alloca %") {
            let ty = ty.split(',').next().unwrap_or_default();
            let fields: Option<&Vec<(u64, u64)>> = types.get(&*format!("%{ty}"));
            parameters = Some(fields.ok_or_else(fault)?.clone());
        } else if let Some((_, name)) = line.split_once("@mgpuModuleGetFunction(") {
            let name = name.split("@neuro_gpu_kernels_").nth(1);
            kernel = name.and_then(|name| name.strip_suffix("_name)"));
        } else if let Some((_, words)) = line.split_once("call void @mgpuLaunchKernel(") {
            let words: Vec<&str> = words.trim_end_matches(')').split(", ").collect();
            let number = |index: usize| {
                let word = words.get(index)?.strip_prefix("i64 ")?;
                word.parse::<u64>().ok()
            };
            let parameters = parameters.take().ok_or_else(fault)?;
            if number(11) != Some(parameters.len() as u64) {
                return Err(fault());
            }
            let threads = (4..7).map(number).product::<Option<u64>>();
            launches.push(Launch {
                kernel: kernel.take().ok_or_else(fault)?.to_string(),
                parameters,
                threads: threads.ok_or_else(fault)?,
            });
        }
    }
    Ok(launches)
}

/// Offsets and sizes of a structure's fields, each aligned to its size.
fn layout<'f>(fields: impl Iterator<Item = &'f str>) -> Option<Vec<(u64, u64)>> {
    let mut end = 0u64;
    let mut placed = Vec::new();
    for field in fields {
        let size = match field {
            "ptr" | "i64" | "double" => 8,
            "i32" | "float" => 4,
            "i16" => 2,
            "i8" | "i1" => 1,
            _ => return None,
        };
        let offset = end.next_multiple_of(size);
        placed.push((offset, size));
        end = offset + size;
    }
    Some(placed)
}
