use std::borrow::Cow;

use melior::ir::Module;
use melior::pass::PassManager;
use melior::utility::parse_pass_pipeline;

use crate::{Failure, MlirError, Session};

/// One step of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassStage {
    /// Names the step in dumps.
    pub name: &'static str,
    /// The step in MLIR's pipeline syntax, anchored on the module.
    pub text: Cow<'static, str>,
}

/// Runs the stages over a module. Any error that MLIR reports fails the run, whatever the pass
/// manager answers: some passes report one and go on.
pub fn run_passes(
    session: &Session,
    module: &mut Module<'_>,
    stages: &[PassStage],
) -> Result<(), MlirError> {
    let Some(dump) = &session.dump else {
        return run_text(session, module, &pipeline_text(stages));
    };
    for stage in stages {
        run_text(session, module, &pipeline_text(std::slice::from_ref(stage)))?;
        dump.after(stage.name, &module.as_operation().to_string())?;
    }
    Ok(())
}

/// The stages as one pipeline in MLIR's syntax.
pub(crate) fn pipeline_text(stages: &[PassStage]) -> String {
    let texts: Vec<&str> = stages.iter().map(|stage| &*stage.text).collect();
    format!("builtin.module({})", texts.join(","))
}

fn run_text(session: &Session, module: &mut Module<'_>, pipeline: &str) -> Result<(), MlirError> {
    let failed = |failure| Err(MlirError::PassPipelineFailed(failure));
    let manager = PassManager::new(session.context());
    if let Err(error) = parse_pass_pipeline(manager.as_operation_pass_manager(), pipeline) {
        return failed(Failure::new(error.to_string()));
    }
    if manager.run(module).is_err() || session.has_errors() {
        return failed(session.take_failure("a pass failed without a diagnostic"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_pass_is_an_error() {
        let session = Session::new("test").unwrap();
        let mut module = Module::parse(session.context(), "module {}").unwrap();
        let stages = [PassStage {
            name: "nothing",
            text: "no-such-pass".into(),
        }];
        let error = run_passes(&session, &mut module, &stages).unwrap_err();
        assert!(error.to_string().contains("no-such-pass"), "{error}");
    }

    #[test]
    fn an_error_that_a_pass_survives_fails_the_run() {
        let session = Session::new("test").unwrap();
        let shared = "memref<4xf32, #gpu.address_space<workgroup>>";
        let text = format!("memref.global \"private\" @shared : {shared} = uninitialized");
        let parsed = || Module::parse(session.context(), &text).unwrap();
        let stages = [PassStage {
            name: "memref-to-llvm",
            text: "finalize-memref-to-llvm".into(),
        }];
        let manager = PassManager::new(session.context());
        parse_pass_pipeline(manager.as_operation_pass_manager(), &pipeline_text(&stages)).unwrap();
        assert!(manager.run(&mut parsed()).is_ok());
        assert!(session.has_errors());
        session.take_failure("silence");
        let error = run_passes(&session, &mut parsed(), &stages).unwrap_err();
        assert!(error.to_string().contains("memory space"), "{error}");
    }
}
