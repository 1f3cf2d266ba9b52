use shared_types::SourceMap;

use mlir_backend::internal::{self, LinkOptions, Target};

use crate::cli::{Emit, Stage, name_of};
use crate::{Fault, dump, files, output, source};

/// `emit`: one stage of a compile, as text.
pub fn emit(options: &Emit, sources: &mut SourceMap) -> Result<(), Fault> {
    if let Some(path) = &options.output {
        files::check_writable(path).map_err(|error| unwritable(options, &error))?;
    }
    let program = source::compile(&options.file, options.overflow.tier(), sources)?;
    if options.stage != Stage::Hir {
        dump::check_writable()?;
    }
    let text = match options.stage {
        Stage::Hir => Ok(program.to_string()),
        Stage::Mlir => mlir_backend::lower_program(&program),
        Stage::Llvm => mlir_backend::translate_to_llvm_ir(&program),
        Stage::Schedule => internal::schedules(&program, &Target::native(), options.threads),
        Stage::Link => {
            let link_options = LinkOptions {
                threads: options.threads,
                ..LinkOptions::default()
            };
            internal::link(&program, &link_options).map(|linked| linked.llvm_ir)
        }
        Stage::GpuMlir | Stage::GpuLlvm | Stage::Ptx | Stage::Amdgcn | Stage::CodeObject => {
            let text = format!("the stage `{}` is not built yet", name_of(options.stage));
            return Err(Fault::wrong(None, text));
        }
    };
    let text = text.map_err(|error| Fault::of_backend(&error))?;
    match &options.output {
        Some(path) => {
            files::replace(path, text.as_bytes()).map_err(|error| unwritable(options, &error))
        }
        None => output::print(text.as_bytes()),
    }
}

fn unwritable(options: &Emit, error: &std::io::Error) -> Fault {
    let path = options
        .output
        .as_deref()
        .unwrap_or(std::path::Path::new(""));
    Fault::wrong(
        None,
        format!("`{}` cannot be written: {error}", path.display()),
    )
}
