#!/usr/bin/env python3
"""Compares which tests run on which platform with compatible.txt beside this file, by Bazel's analysis alone;
NEURO_UPDATE=1 writes it. The table has the tests of devices, and whatever else some platform skips."""
import os
import re
import subprocess
import sys

PLATFORMS = ["linux_x86_64", "linux_x86_64_emulated", "linux_x86_64_nvidia", "linux_x86_64_amd"]
STATE = 'str(target.label) + (" skipped" if "IncompatiblePlatformProvider" in providers(target) else " runs")'
path = os.path.join(os.path.dirname(os.path.realpath(__file__)), "compatible.txt")


def states(platform):
    """What each test is on a platform."""
    command = ["bazel", "cquery", "tests(//...)", "--output=starlark", "--starlark:expr=" + STATE]
    flags = ["--ui_event_filters=-info,-warning", "--noshow_progress", f"--platforms=//tools/bazel/platforms:{platform}"]
    output = subprocess.run(command + flags, check=True, stdout=subprocess.PIPE, text=True).stdout
    return dict(line.removeprefix("@@").split() for line in output.splitlines())


by_platform = {platform: states(platform) for platform in PLATFORMS}
tests = sorted(set().union(*by_platform.values()))
rows = [[test, *(by_platform[platform].get(test, "missing") for platform in PLATFORMS)] for test in tests]
kept = [row for row in rows if re.search("_(host|emulated|nvidia|amd)_test$", row[0]) or set(row[1:]) != {"runs"}]
table = "".join(" ".join(row) + "\n" for row in [["test", *PLATFORMS], *kept])
if os.environ.get("NEURO_UPDATE") == "1":
    with open(path, "w", encoding="utf-8") as file:
        file.write(table)
with open(path, encoding="utf-8") as file:
    expected = file.read()
if table != expected:
    sys.exit(f"which tests run on which platform has changed; NEURO_UPDATE=1 {sys.argv[0]} writes it. Expected:\n{expected}seen:\n{table}")
print(f"{len(tests)} tests on {len(PLATFORMS)} platforms: {len(kept)} of devices, as {os.path.basename(path)} has them")
