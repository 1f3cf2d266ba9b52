"""Make variables, by which build scripts and tests find what lies outside of the repository."""

def _make_variables_impl(ctx):
    return [platform_common.TemplateVariableInfo(ctx.attr.values)]

make_variables = rule(
    implementation = _make_variables_impl,
    attrs = {"values": attr.string_dict(mandatory = True)},
)
