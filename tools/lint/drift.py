#!/usr/bin/env python3
"""Holds Cargo's and Bazel's views of this workspace to one another, and the backend's dependencies to its architecture.

Prints the crates that both know; each difference is a line on standard error and status 1."""
import collections
import json
import os
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as xml

CHECKOUT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
BACKEND = "compiler/mlir-backend"
BACKEND_DEPENDENCIES = {
    "ast-types", "inkwell", "melior", "mlir-sys", "neuro-hir", "region-dialect", "shared-types", "thiserror",
}
# Two of these in one process are two copies of LLVM's or MLIR's types.
ONE_VERSION = ["llvm-sys", "melior", "mlir-sys"]

# A library, a program, or a package's tests: where it is, its name in Rust, and the crates that it uses.
Crate = collections.namedtuple("Crate", "package kind name dependencies")


def output(*command):
    return subprocess.run(command, cwd=CHECKOUT, check=True, stdout=subprocess.PIPE, text=True).stdout


def cargo_crates():
    packages = json.loads(output("cargo", "metadata", "--format-version=1", "--no-deps", "--locked"))["packages"]
    for package in packages:
        folder = os.path.relpath(os.path.dirname(package["manifest_path"]), CHECKOUT)
        dependencies = {each["name"] for each in package["dependencies"] if each["kind"] is None}
        of_tests = {each["name"] for each in package["dependencies"] if each["kind"] == "dev"}
        yield Crate(folder, "tests", "and benchmarks", of_tests - dependencies)
        libraries = [each for each in package["targets"] if "lib" in each["kind"]]
        for target in package["targets"]:
            if target in libraries:
                yield Crate(folder, "lib", target["name"], dependencies)
            elif "bin" in target["kind"]:
                own = {package["name"]} if libraries else set()
                yield Crate(folder, "bin", target["name"], dependencies | own)


def bazel_crates(package_names):
    query = 'kind("rust_(library|binary|test) rule", //...)'
    output_flags = ["--noshow_progress", "--ui_event_filters=-info", "--output=xml"]
    dependencies, of_tests = collections.defaultdict(set), collections.defaultdict(set)
    for rule in xml.fromstring(output("bazel", "query", query, *output_flags)).iter("rule"):
        folder, _, target = rule.get("name").removeprefix("//").partition(":")
        labels = rule.findall("list[@name='deps']/label") + rule.findall("list[@name='proc_macro_deps']/label")
        used = {dependency(each.get("value"), package_names) for each in labels}
        if rule.get("class") == "rust_test" or rule.find("boolean[@name='testonly'][@value='true']") is not None:
            of_tests[folder] |= used
            continue
        dependencies[folder] |= used
        if rule.get("class") == "rust_library":
            crate_name = rule.find("string[@name='crate_name']")
            yield Crate(folder, "lib", crate_name.get("value"), used)
        else:
            yield Crate(folder, "bin", target, used)
    for folder, used in of_tests.items():
        yield Crate(folder, "tests", "and benchmarks", used - dependencies[folder] - {package_names.get(folder)})


def dependency(label, package_names):
    """Cargo's name for what a label names."""
    folder, _, target = label.removeprefix("//").partition(":")
    return package_names.get(folder, target) if label.startswith("//") else target


def faults():
    packages = json.loads(output("cargo", "metadata", "--format-version=1", "--no-deps", "--locked"))["packages"]
    names = {os.path.relpath(os.path.dirname(each["manifest_path"]), CHECKOUT): each["name"] for each in packages}
    cargo = {each[:3]: each for each in cargo_crates()}
    bazel = {each[:3]: each for each in bazel_crates(names)}
    for key in sorted(cargo.keys() | bazel.keys()):
        package, kind, name = key
        if key not in bazel or key not in cargo:
            yield f"{kind} {name} in {package}: {'Cargo' if key in cargo else 'Bazel'} alone knows it"
            continue
        if kind != "tests":
            print(f"{kind} {name} in {package}")
        for extra, builder in (
            (cargo[key].dependencies - bazel[key].dependencies, "Cargo"),
            (bazel[key].dependencies - cargo[key].dependencies, "Bazel"),
        ):
            if extra:
                yield f"{kind} {name} in {package}: only for {builder} it depends on {', '.join(sorted(extra))}"

    parts = {name for folder, name in names.items() if folder.startswith(BACKEND)}
    for crate in cargo.values():
        foreign = crate.dependencies - BACKEND_DEPENDENCIES - parts
        if crate.package.startswith(BACKEND) and crate.kind != "tests" and foreign:
            yield f"{crate.package}: {', '.join(sorted(foreign))} is not among the backend's dependencies"

    with open(os.path.join(CHECKOUT, "Cargo.lock"), "rb") as file:
        locked = tomllib.load(file)["package"]
    for name in ONE_VERSION:
        versions = [each["version"] for each in locked if each["name"] == name]
        if len(versions) != 1:
            yield f"Cargo.lock has {len(versions)} versions of {name}: {', '.join(versions)}"


found = list(faults())
for fault in found:
    print("drift:", fault, file=sys.stderr)
sys.exit(1 if found else 0)
