"""Runs the Python statements that a benchmark sends, one JSON object a line, and answers each with the CPU time that
it took this thread, in nanoseconds. A statement that fails ends the worker, with its traceback on standard error."""
import json
import sys
import time

import numpy as np

np.seterr(all="ignore")
names = {"np": np}
print(json.dumps({"version": np.__version__}), flush=True)
for line in sys.stdin:
    code = compile(json.loads(line)["code"], "<benchmark>", "exec")
    start = time.thread_time_ns()
    exec(code, names)
    took = time.thread_time_ns() - start
    print(json.dumps({"nanoseconds": took}), flush=True)
