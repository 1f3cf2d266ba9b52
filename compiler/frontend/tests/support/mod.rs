use frontend::{Diagnostic, Options, compile};
use neuro_hir::{HirProgram, Tier};
use shared_types::{SourceFile, SourceMap};

/// Compiles `text` as `f.nr`, in a program that moves tensors to a device where `on_device`. What
/// compiles is well-formed HIR.
pub fn compile_text(
    text: &str,
    on_device: bool,
) -> (SourceMap, Result<HirProgram, Vec<Diagnostic>>) {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("f.nr", text));
    let options = Options {
        tier: Tier::Checked,
        on_device,
    };
    let compiled = compile(&sources, file, options);
    if let Ok(program) = &compiled {
        assert_eq!(program.verify(), Ok(()), "{text}\n{program}");
    }
    (sources, compiled)
}
