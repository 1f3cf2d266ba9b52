#!/usr/bin/env python3
"""Runs the kernels of this bundle on the machine's first NVIDIA GPU, compares every result with the expected bits, and
times the speed set. Needs Python 3.8 and the NVIDIA driver, nothing else; where PyTorch is there, it is timed beside.

    python3 run.py [CASE...] [--repeat N]      a CASE is the beginning of names; without one, all

Status 0: all bits are equal. 1: some differ, or a kernel failed. 2: there is no usable device."""
import argparse
import array
import ctypes
import hashlib
import json
import pathlib
import statistics
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
MAJOR, MINOR = 75, 76  # attributes: the compute capability
ERROR_LOG, ERROR_LOG_BYTES = 5, 6  # options of the compiler in the driver
WARM_UP = 3


class Failure(Exception):
    """What a case, or everything, fails with."""


class Driver:
    """The calls of libcuda. One that fails is an error with the driver's own name of it."""

    def __init__(self):
        self.library = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
        device = ctypes.c_int()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        name = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", name, len(name), device)
        numbers = []
        for attribute in (MAJOR, MINOR):
            number = ctypes.c_int()
            self.call("cuDeviceGetAttribute", ctypes.byref(number), attribute, device)
            numbers.append(number.value)
        self.name = f"{name.value.decode()}, compute capability {numbers[0]}.{numbers[1]}"
        self.device = device
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def close(self):
        self.call("cuDevicePrimaryCtxRelease_v2", self.device)

    def call(self, function, *arguments, log=None):
        code = getattr(self.library, function)(*arguments)
        if code:
            name = ctypes.c_char_p()
            self.library.cuGetErrorName(code, ctypes.byref(name))
            text = f"{function}: {name.value.decode() if name.value else code}"
            raise Failure(f"{text}: {log.value.decode()}" if log and log.value else text)

    def load(self, ptx):
        log = ctypes.create_string_buffer(8192)
        options = (ctypes.c_int * 2)(ERROR_LOG, ERROR_LOG_BYTES)
        values = (ctypes.c_size_t * 2)(ctypes.addressof(log), len(log))
        module = ctypes.c_void_p()
        self.call("cuModuleLoadDataEx", ctypes.byref(module), ptx, 2, options, values, log=log)
        return module

    def function(self, module, name):
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        return function

    def allocate(self, count):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(count, 1)))
        return address.value

    def free(self, address):
        self.call("cuMemFree_v2", ctypes.c_uint64(address))

    def write(self, address, contents):
        if contents:
            self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), contents, ctypes.c_size_t(len(contents)))

    def read(self, address, count):
        contents = ctypes.create_string_buffer(max(count, 1))
        if count:
            self.call("cuMemcpyDtoH_v2", contents, ctypes.c_uint64(address), ctypes.c_size_t(count))
        return contents.raw[:count]

    def copy(self, address, source, count):
        if count:
            self.call("cuMemcpyDtoD_v2", ctypes.c_uint64(address), ctypes.c_uint64(source), ctypes.c_size_t(count))

    def synchronize(self):
        self.call("cuStreamSynchronize", None)

    def milliseconds(self, run):
        """How long the device works on what `run` launches."""
        start, end = ctypes.c_void_p(), ctypes.c_void_p()
        for event in (start, end):
            self.call("cuEventCreate", ctypes.byref(event), 0)
        self.call("cuEventRecord", start, None)
        run()
        self.call("cuEventRecord", end, None)
        self.call("cuEventSynchronize", end)
        elapsed = ctypes.c_float()
        self.call("cuEventElapsedTime", ctypes.byref(elapsed), start, end)
        for event in (start, end):
            self.call("cuEventDestroy_v2", event)
        return elapsed.value


class Launch:
    """A launch whose arguments are in place."""

    def __init__(self, driver, function, step, addresses):
        self.driver, self.function = driver, function
        self.sizes = [ctypes.c_uint(number) for number in step["grid"] + step["block"]]
        self.values = []
        for argument in step["arguments"]:
            if "hex" in argument:
                contents = bytes.fromhex(argument["hex"])
            else:
                address = addresses[argument["buffer"]] + argument["offset"]
                contents = address.to_bytes(8, sys.byteorder)
            self.values.append(ctypes.create_string_buffer(contents, len(contents)))
        self.pointers = (ctypes.c_void_p * len(self.values))(*map(ctypes.addressof, self.values))

    def run(self):
        self.driver.call("cuLaunchKernel", self.function, *self.sizes, 0, None, self.pointers, None)


class Contents:
    """What the bundle has, or makes, of inputs and results, by hash."""

    def __init__(self, generated):
        self.generated = generated
        self.streams = {}

    def get(self, name):
        """The bytes; None for a result of which there is only the hash."""
        path = FOLDER / "data" / name
        if name in self.generated:
            how = self.generated[name]
            contents = self.stream(how["key"], how["count"])[: 4 * how["count"]]
        elif path.is_file():
            contents = path.read_bytes()
        else:
            return None
        if hash_of(contents) != name:
            raise Failure(f"the contents {name} are not what they were")
        return contents

    def stream(self, key, count):
        """At least `count` floats in [-4, 4): output i of splitmix64, that starts at the key, makes element i."""
        made = self.streams.get(key, b"")
        if len(made) < 4 * count:
            made = self.streams[key] = random_floats(int(key, 16), count)
        return made


def random_floats(state, count):
    mask = (1 << 64) - 1
    floats = array.array("f", bytes(4 * count))
    for i in range(count):
        state = (state + 0x9E3779B97F4A7C15) & mask
        bits = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
        bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & mask
        floats[i] = ((bits ^ (bits >> 31)) >> 40) / (1 << 21) - 4.0
    return floats.tobytes()


def hash_of(contents):
    return hashlib.sha256(contents).hexdigest()


def difference(found, expected):
    if expected is None:
        return "another hash"
    at = next(i for i, (a, b) in enumerate(zip(found, expected)) if a != b)
    return f"byte {at} is {found[at]:#04x}, {expected[at]:#04x} was expected"


def run_case(driver, case, contents, repeat):
    """What differs, the number of launches, and the time of them together where that is wanted."""
    # PTX is text, and ends in a zero.
    module = driver.load((FOLDER / case["ptx"]).read_bytes() + b"\0")
    addresses, launches, differences, functions, times = {}, [], [], {}, []
    done = False
    try:
        for number, step in enumerate(case["steps"]):
            address = addresses.get(step.get("buffer"), 0) + step.get("offset", 0)
            if step["do"] == "allocate":
                addresses[step["buffer"]] = driver.allocate(step["bytes"])
            elif step["do"] == "write":
                driver.write(address, contents.get(step["hash"]))
            elif step["do"] == "copy":
                source = addresses[step["from"]["buffer"]] + step["from"]["offset"]
                driver.copy(address, source, step["bytes"])
            elif step["do"] == "launch":
                kernel = step["kernel"]
                if kernel not in functions:
                    functions[kernel] = driver.function(module, kernel)
                launches.append(Launch(driver, functions[kernel], step, addresses))
                launches[-1].run()
                driver.synchronize()
            else:
                found = driver.read(address, step["bytes"])
                if hash_of(found) != step["hash"]:
                    text = difference(found, contents.get(step["hash"]))
                    differences.append(f"step {number}, buffer {step['buffer']}: {text}")
        if "speed" in case:
            def run():
                for launch in launches:
                    launch.run()
            for _ in range(WARM_UP):
                run()
            times = [driver.milliseconds(run) for _ in range(repeat)]
        done = True
    finally:
        try:
            for address in addresses.values():
                driver.free(address)
            driver.call("cuModuleUnload", module)
        except Failure:
            # After a kernel that faulted no call succeeds: what it did is to be told.
            if done:
                raise
    return differences, len(launches), statistics.median(times) if times else None


def time_torch(torch, speed, contents, repeat):
    """PyTorch's milliseconds for the same, in full precision."""
    torch.backends.cuda.matmul.allow_tf32 = False
    values = {}
    for value in speed["inputs"]:
        flat = torch.frombuffer(bytearray(contents.get(value["hash"])), dtype=torch.float32)
        values[value["name"]] = flat.reshape(value["extents"]).cuda()
    expression = compile(speed["torch"], "torch", "eval")
    times = []
    for _ in range(WARM_UP + repeat):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        eval(expression, {}, values)
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    return statistics.median(times[WARM_UP:])


def torch_with_device():
    try:
        import torch
    except ImportError:
        return None
    return torch if torch.cuda.is_available() else None


def row(name, milliseconds, launches, speed, theirs):
    milliseconds = max(milliseconds, 1e-6)
    rates = (speed["bytes"] / milliseconds / 1e6, speed["operations"] / milliseconds / 1e6)
    cells = [f"{name:24}", f"{launches:8}", f"{milliseconds:10.4f}", f"{rates[0]:10.1f}", f"{rates[1]:10.1f}"]
    if theirs is not None:
        cells += [f"{theirs:10.4f}", f"{milliseconds / theirs:8.2f}"]
    print(" ".join(cells))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--repeat", type=int, default=20, metavar="N", help="runs of the speed set that are timed; 20")
    options = parser.parse_args()
    bundle = json.loads((FOLDER / "bundle.json").read_text())
    cases = [case for case in bundle["cases"] if not options.cases or case["name"].startswith(tuple(options.cases))]
    if not cases:
        names = ", ".join(case["name"] for case in bundle["cases"])
        parser.error(f"no case begins with {' or '.join(options.cases)}; there are {names}")
    if options.repeat < 1:
        parser.error("--repeat takes a number from 1 on")
    try:
        driver = Driver()
    except (OSError, AttributeError, Failure) as error:
        print(f"no usable device: {error}", file=sys.stderr)
        return 2
    print(f"device: {driver.name}")
    torch = torch_with_device()
    print(f"PyTorch: {torch.__version__ if torch else 'not here'}")
    contents = Contents(bundle["generated"])
    wrong, timed = 0, []
    for case in cases:
        try:
            differences, launches, milliseconds = run_case(driver, case, contents, options.repeat)
        except Failure as error:
            differences, milliseconds = [str(error)], None
        wrong += bool(differences)
        for text in differences:
            print(f"{case['name']}: {text}")
        if milliseconds is not None:
            timed.append((case, milliseconds, launches))
    print(f"bits: {len(cases) - wrong} of {len(cases)} cases are equal")
    if timed:
        titles = [f"{'case':24}", f"{'launches':>8}", f"{'ms':>10}", f"{'GB/s':>10}", f"{'GFLOP/s':>10}"]
        titles += [f"{'PyTorch ms':>10}", f"{'ratio':>8}"] if torch else []
        print(" ".join(titles))
    for case, milliseconds, launches in timed:
        theirs = time_torch(torch, case["speed"], contents, options.repeat) if torch else None
        row(case["name"], milliseconds, launches, case["speed"], theirs)
    driver.close()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
