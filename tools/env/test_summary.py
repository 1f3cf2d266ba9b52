#!/usr/bin/env python3
"""Prints one line `N passed, N failed, N skipped` from the events of a `bazel test`, and names what was skipped. What did
not build has failed. So has a run for a platform with a GPU in which no test of a GPU ran: a skipped one is no proof."""
import json
import re
import sys

tests, of_gpu, passed, skipped = set(), set(), set(), set()
platform = ""
with open(sys.argv[1], encoding="utf-8") as events:
    for event in map(json.loads, events):
        label = next(iter(event["id"].values())).get("label")
        configured = event.get("configured", {})
        if "testSize" in configured:
            tests.add(label)
            if "gpu" in configured.get("tag", []):
                of_gpu.add(label)
        elif event.get("testSummary", {}).get("overallStatus") in ("PASSED", "FLAKY"):
            passed.add(label)
        elif event.get("aborted", {}).get("reason") == "SKIPPED":
            skipped.add(label)
        for flag in event.get("optionsParsed", {}).get("cmdLine", []):
            platform = flag.removeprefix("--platforms=") if flag.startswith("--platforms=") else platform
skipped &= tests
for label in sorted(skipped):
    print(f"skipped: {label}, which needs {'a GPU' if label in of_gpu else 'another platform'}")
print(f"{len(passed)} passed, {len(tests - passed - skipped)} failed, {len(skipped)} skipped")
if re.search("_(nvidia|amd)$", platform) and not of_gpu & passed:
    sys.exit(f"no test of a GPU passed on {platform}")
