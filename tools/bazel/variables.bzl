"""The make variables by which build scripts and tests find LLVM."""

def _llvm_variables_impl(ctx):
    return [platform_common.TemplateVariableInfo({
        "LLVM_PREFIX": ctx.attr.prefix,
        "LLVM_VERSION": ctx.attr.version,
    })]

llvm_variables = rule(
    implementation = _llvm_variables_impl,
    attrs = {
        "prefix": attr.string(mandatory = True),
        "version": attr.string(mandatory = True),
    },
)
