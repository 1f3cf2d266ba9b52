use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;

/// Calls the C library's `sin` and `cos` by name, in place of LLVM's intrinsics for them: of these
/// its code generator makes one call of `sincos`, which is another function (numerics,
/// §Mathematics).
pub(crate) fn keep_sines(module: &Module<'_>) {
    let nobuiltin = Attribute::get_named_enum_kind_id("nobuiltin");
    let nobuiltin = module.get_context().create_enum_attribute(nobuiltin, 0);
    for (intrinsic, name) in [
        ("llvm.sin.f32", "sinf"),
        ("llvm.sin.f64", "sin"),
        ("llvm.cos.f32", "cosf"),
        ("llvm.cos.f64", "cos"),
    ] {
        let Some(intrinsic) = module.get_function(intrinsic) else {
            continue;
        };
        let function = module
            .get_function(name)
            .unwrap_or_else(|| module.add_function(name, intrinsic.get_type(), None));
        function.add_attribute(AttributeLoc::Function, nobuiltin);
        intrinsic.replace_all_uses_with(function);
    }
}
