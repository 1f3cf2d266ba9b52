#!/usr/bin/env python3
"""Holds that each test which docs/specification-tests.md names is there.

Each one that is not is a line on standard error, and status 1."""
import os
import re
import sys

CHECKOUT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
PAGE = "docs/specification-tests.md"
PROGRAMS = ["tests/filecheck", "tests/filetests"]


def is_there(name, folder):
    file, _, test = name.partition("::")
    if file.endswith(".nr"):
        return any(os.path.isfile(os.path.join(CHECKOUT, programs, file)) for programs in PROGRAMS)
    path = os.path.join(CHECKOUT, folder, file)
    if not os.path.isfile(path):
        return False
    with open(path, encoding="utf-8") as source:
        return re.search(rf"^\s*(?:pub )?fn {test}\(", source.read(), re.MULTILINE) is not None


folder, missing, count = None, [], 0
with open(os.path.join(CHECKOUT, PAGE), encoding="utf-8") as page:
    for line in page:
        if heading := re.match(r"## .*\(`([^`]+)`", line):
            folder = heading[1]
        elif folder and line.startswith("| "):
            names = re.findall(r"`([^`]+(?:\.nr|::\w+))`", line.rsplit(" | ", 1)[1])
            count += len(names)
            missing += [name for name in names if not is_there(name, folder)]
for name in missing:
    print(f"{PAGE}: there is no {name}", file=sys.stderr)
if not count:
    print(f"{PAGE} names no test", file=sys.stderr)
sys.exit(1 if missing or not count else 0)
