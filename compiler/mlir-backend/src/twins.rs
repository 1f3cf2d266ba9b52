//! Functions that are the same but for their names are compiled once.

use std::collections::HashMap;

use inkwell::builder::BuilderError;
use inkwell::module::Module;
use inkwell::values::BasicMetadataValueEnum;
use neuro_hir::HirFunction;

/// Functions of a program, each under the first one that is the same.
pub(crate) struct Twins<'p> {
    pub firsts: Vec<&'p str>,
    /// The others, with their first one.
    pub others: Vec<(&'p str, &'p str)>,
}

impl<'p> Twins<'p> {
    pub(crate) fn of(functions: impl Iterator<Item = &'p HirFunction>) -> Twins<'p> {
        let mut known: HashMap<String, &str> = HashMap::new();
        let mut twins = Twins {
            firsts: Vec::new(),
            others: Vec::new(),
        };
        for function in functions {
            let name = function.name.as_str();
            let first = *known.entry(nameless(function)).or_insert(name);
            match first == name {
                true => twins.firsts.push(name),
                false => twins.others.push((name, first)),
            }
        }
        twins
    }
}

/// The function as text, without what the program calls it and its locals.
fn nameless(function: &HirFunction) -> String {
    let mut function = function.clone();
    function.name.clear();
    for (number, local) in function.locals.iter_mut().enumerate() {
        local.name = number.to_string();
    }
    function.to_string()
}

/// Defines `symbol` as a function that is `to`, where the module defines that.
pub(crate) fn forward(module: &Module<'_>, symbol: &str, to: &str) -> Result<(), BuilderError> {
    let Some(to) = module.get_function(to) else {
        return Ok(());
    };
    let function = module.add_function(symbol, to.get_type(), None);
    let context = module.get_context();
    let builder = context.create_builder();
    builder.position_at_end(context.append_basic_block(function, ""));
    let arguments: Vec<BasicMetadataValueEnum> =
        function.get_param_iter().map(Into::into).collect();
    builder.build_call(to, &arguments, "")?.set_tail_call(true);
    builder.build_return(None)?;
    Ok(())
}
