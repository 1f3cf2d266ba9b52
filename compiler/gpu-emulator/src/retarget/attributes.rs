use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;
use inkwell::values::FunctionValue;

/// The threads that a block may have, as the compiler of a kernel was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Threads {
    pub(crate) least: u64,
    pub(crate) most: u64,
}

impl Threads {
    /// Before the attributes are stripped.
    pub(crate) fn of(kernel: FunctionValue<'_>) -> Threads {
        let numbers = |key| {
            let attribute = kernel.get_string_attribute(AttributeLoc::Function, key)?;
            let text = attribute.get_string_value().to_string_lossy().into_owned();
            let numbers = text.split(',').map(|number| number.trim().parse::<u64>());
            numbers.collect::<Result<Vec<_>, _>>().ok()
        };
        let product = |extents: Vec<u64>| extents.iter().product();
        if let Some(threads) = numbers("nvvm.reqntid").map(product) {
            return Threads {
                least: threads,
                most: threads,
            };
        }
        if let Some(most) = numbers("nvvm.maxntid").map(product) {
            return Threads { least: 1, most };
        }
        match numbers("amdgpu-flat-work-group-size").as_deref() {
            Some(&[least, most]) => Threads { least, most },
            _ => Threads {
                least: 1,
                most: u64::MAX,
            },
        }
    }
}

/// Of functions: what is not true of code that waits, stops and is checked.
const OF_BODIES: [&str; 7] = [
    "memory",
    "nosync",
    "willreturn",
    "nofree",
    "norecurse",
    "mustprogress",
    "speculatable",
];
/// Of parameters: the same, and how another machine passes them.
const OF_PARAMETERS: [&str; 8] = [
    "readnone",
    "readonly",
    "writeonly",
    "captures",
    "nofree",
    "noalias",
    "inreg",
    "byref",
];

/// Takes the attributes off a function that are another machine's, or no longer true.
pub(crate) fn strip(module: &Module<'_>, function: FunctionValue<'_>) {
    let places = (0..function.count_params()).map(AttributeLoc::Param);
    for place in places.chain([AttributeLoc::Function, AttributeLoc::Return]) {
        for attribute in function.attributes(place) {
            if attribute.is_string() {
                let key = attribute.get_string_kind_id().to_string_lossy();
                function.remove_string_attribute(place, &key);
            }
        }
        let names = match place {
            AttributeLoc::Function => OF_BODIES.as_slice(),
            AttributeLoc::Param(_) => OF_PARAMETERS.as_slice(),
            AttributeLoc::Return => &[],
        };
        // An intrinsic's attributes are LLVM's own.
        if !function.get_name().to_bytes().starts_with(b"llvm.") {
            for name in names {
                let kind = Attribute::get_named_enum_kind_id(name);
                function.remove_enum_attribute(place, kind);
            }
        }
    }
    if function.count_basic_blocks() > 0 {
        // A stack that is too small faults in the page below it, and not beyond.
        let context = module.get_context();
        let probe = context.create_string_attribute("probe-stack", "inline-asm");
        function.add_attribute(AttributeLoc::Function, probe);
    }
}
