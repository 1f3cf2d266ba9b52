#!/usr/bin/env python3
"""Prints one line `N passed, N failed, N skipped` from the events of a `bazel test`."""
import json
import sys

passed = failed = skipped = 0
with open(sys.argv[1], encoding="utf-8") as events:
    for event in map(json.loads, events):
        if "testSummary" in event:
            if event["testSummary"]["overallStatus"] in ("PASSED", "FLAKY"):
                passed += 1
            else:
                failed += 1
        elif event.get("aborted", {}).get("reason") == "SKIPPED":
            skipped += 1
print(f"{passed} passed, {failed} failed, {skipped} skipped")
