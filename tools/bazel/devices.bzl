"""One test on several devices: compiled once, run on each."""

# What runs a test's programs, and the GPU that the platform must have for it. The emulated GPUs are in software.
DEVICES = {
    "host": None,
    "emulated": None,
    "nvidia": "//tools/bazel/platforms:nvidia",
    "amd": "//tools/bazel/platforms:amd",
}

def _device_test_impl(ctx):
    program = ctx.attr.program
    executable = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(
        output = executable,
        target_file = ctx.executable.program,
        is_executable = True,
    )
    environment = program[RunEnvironmentInfo].environment | {"NEURO_DEVICE": ctx.attr.device}
    return [
        DefaultInfo(
            executable = executable,
            runfiles = ctx.runfiles([executable]).merge(program[DefaultInfo].default_runfiles),
        ),
        RunEnvironmentInfo(environment = environment),
    ]

_device_test = rule(
    implementation = _device_test_impl,
    doc = "Runs a test's program with the device's name in NEURO_DEVICE.",
    attrs = {
        "device": attr.string(mandatory = True),
        "program": attr.label(
            cfg = "target",
            executable = True,
            mandatory = True,
        ),
    },
    test = True,
)

def tests_on_devices(name, program):
    """A test NAME_DEVICE_test for each of DEVICES; one of a real GPU is skipped where the platform has none.

    Args:
        name: what the tests' names begin with.
        program: a test, tagged `manual`, that reads NEURO_DEVICE, and fails where there is no such device.
    """
    for device, gpu in DEVICES.items():
        _device_test(
            name = "{}_{}_test".format(name, device),
            # On the machine of a pool that has it. The prefix is so that only the test runs there, not the compiler.
            exec_properties = {"test.gpu": "none" if device == "host" else device},
            device = device,
            program = program,
            tags = ["gpu"] if gpu else [],
            # Whole programs of every file.
            timeout = "long",
            target_compatible_with = [gpu] if gpu else [],
        )
