#!/usr/bin/env python3
"""Prints one line `N passed, N failed, N skipped` from the events of a `bazel test`. What did not build has failed."""
import json
import sys

tests, passed, skipped = set(), set(), set()
with open(sys.argv[1], encoding="utf-8") as events:
    for event in map(json.loads, events):
        label = next(iter(event["id"].values())).get("label")
        if "testSize" in event.get("configured", {}):
            tests.add(label)
        elif event.get("testSummary", {}).get("overallStatus") in ("PASSED", "FLAKY"):
            passed.add(label)
        elif event.get("aborted", {}).get("reason") == "SKIPPED":
            skipped.add(label)
skipped &= tests
print(f"{len(passed)} passed, {len(tests - passed - skipped)} failed, {len(skipped)} skipped")
