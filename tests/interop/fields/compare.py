#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare.py -- our tables of fields against the sources of Kubernetes: a part of `make interop`.

Names, order, numbers, types and rules of every field are compared with the Go types, with
generated.proto and with the published OpenAPI document, each by itself.  Prints TAP; where there is
no Go, or no module, it says so and skips."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(ROOT / "tools"), str(ROOT / "tools" / "checks")]
import fields  # noqa: E402
from check import Tap  # noqa: E402
from model import Facts  # noqa: E402

API, MACHINERY = "k8s.io/api", "k8s.io/apimachinery"
EXTENSIONS, AGGREGATOR = "k8s.io/apiextensions-apiserver", "k8s.io/kube-aggregator"
KUBERNETES = "k8s.io/kubernetes"
SHOWN = 20  # differences of one comparison

# Of the scalars: messages of generated.proto.
META_PROTO = ".k8s.io.apimachinery.pkg.apis.meta.v1."
PROTO_SCALARS = {
    "quantity": ".k8s.io.apimachinery.pkg.api.resource.Quantity",
    "int-or-string": ".k8s.io.apimachinery.pkg.util.intstr.IntOrString",
    "time": META_PROTO + "Time", "micro-time": META_PROTO + "MicroTime",
    "duration": META_PROTO + "Duration", "fields-v1": META_PROTO + "FieldsV1",
    "raw": ".k8s.io.apimachinery.pkg.runtime.RawExtension",
}


def skip(reason):
    print(f"1..0 # SKIP {reason}")
    sys.exit(0)


def go(*words, folder=ROOT / "tests" / "interop" / "apiserver"):
    return subprocess.run(["go", *words], cwd=folder, capture_output=True, text=True)


def module_folders():
    """Where the modules are that the kube-apiserver of `make interop` is built from."""
    if not shutil.which("go"):
        skip("there is no go in PATH to get the sources of Kubernetes with")
    names = [API, MACHINERY, EXTENSIONS, AGGREGATOR, KUBERNETES]
    done = go("mod", "download", "-json", *names)
    if done.returncode != 0:
        skip(f"the sources of Kubernetes cannot be had: {(done.stderr or done.stdout)[-200:]}")
    decoder, folders, rest = json.JSONDecoder(), {}, done.stdout.strip()
    while rest:
        module, end = decoder.raw_decode(rest)
        folders[module["Path"]] = Path(module["Dir"])
        print(f"# {module['Path']} {module['Version']}")
        rest = rest[end:].lstrip()
    return folders


def proto_name(module):
    """How the packages of a module begin in protobuf, without the host."""
    return module.split("/", 1)[1].replace("-", "_") + "."


def folder_of(package, modules):
    """The folder of Go sources of one of our packages."""
    path = package.proto.replace("k8s.io.", "", 1)
    module = next(module for module in (API, MACHINERY, EXTENSIONS, AGGREGATOR)
                  if path.startswith(proto_name(module)))
    return modules[module] / path[len(proto_name(module)):].replace(".", "/")


def comparable(package, field):
    own = field.type_text.replace(f"{package.name}.", "")
    return (field.name, field.number, own, sorted(field.flags))


def compare_with_go(packages, facts):
    """Differences between our structs and those of Go."""
    different = []
    for package in packages:
        for struct in package.structs.values():
            where = f"{package.name}.{struct.name}"
            if struct.name not in facts.packages[package.name]["structs"]:
                different.append(f"{where} is not in Go")
                continue
            word, flags, theirs = facts.struct(package.name, struct.name)
            theirs = [(name, number, kind, sorted(rules)) for name, number, kind, rules in theirs]
            ours = [comparable(package, field) for field in struct.fields]
            if (word, "atomic" in flags) != (struct.word, struct.is_atomic):
                different.append(f"{where} is {word} {' '.join(flags)} in Go")
            if ours != theirs:
                different += [f"{where}: ours {field}" for field in ours if field not in theirs]
                different += [f"{where}: Go's {field}" for field in theirs if field not in ours]
                if sorted(ours) == sorted(theirs):
                    different.append(f"{where}: the order differs")
    return different


def read_proto(path):
    """{message: {number: type}}"""
    messages = {}
    for name, body in re.findall(r"^message (\w+) \{\n(.*?)^\}", path.read_text(), re.M | re.S):
        code = re.sub(r"//.*", "", body)
        messages[name] = {int(number): " ".join(kind.split()) for kind, number in
                          re.findall(r"^\s*(\S[^;=]*?) \w+ = (\d+)(?: \[[^\]]*\])?;", code, re.M)}
    return messages


def proto_type(text, package, by_name, label="optional "):
    """A type of ours as generated.proto writes it."""
    made = re.fullmatch(r"([\[{])(.*)[\]}](?::[\w.]+)?\??", text)
    if made and made[1] == "[":
        return proto_type(made[2], package, by_name, "repeated ")
    if made:
        return f"map<string, {proto_type(made[2].split('=')[-1], package, by_name, '')}>"
    base, _, named = text.rstrip("?").partition(":")
    if base == "raw" and named:
        return label + named
    if base in PROTO_SCALARS:
        shown = PROTO_SCALARS[base]
    elif base in fields.SCALARS:
        shown = base
    else:
        alias, _, name = base.rpartition(".")
        shown = f".{by_name[alias].proto}.{name}" if alias else name
    own = f".{package.proto}."
    return label + (shown[len(own):] if shown.startswith(own) else shown)


def compare_with_proto(packages, modules):
    """Differences between our numbers and types and those of generated.proto."""
    different, by_name = [], {package.name: package for package in packages}
    for package in packages:
        messages = read_proto(folder_of(package, modules) / "generated.proto")
        for struct in package.structs.values():
            ours = {field.number: proto_type(field.type_text, package, by_name)
                    for field in struct.fields if field.number}
            theirs = messages.get(struct.name)
            if ours != theirs and struct.name != "TypeMeta":
                different.append(f"{package.name}.{struct.name}: ours {ours}; proto's {theirs}")
    return different


def openapi_name(package, struct):
    return (package.proto.replace("k8s.io.", "io.k8s.", 1)
            .replace("apiextensions_apiserver", "apiextensions-apiserver") + "." + struct.name)


def members(struct, package, by_name):
    """The fields of |struct| in JSON, with those of inline structs."""
    for field in struct.fields:
        if field.name != "inline":
            yield field
            continue
        alias, _, name = field.type_text.rpartition(".")
        other = by_name[alias] if alias else package
        yield from members(other.structs[name], other, by_name)


def openapi_rules(schema):
    """What a property says that a flag of ours says too."""
    flags = []
    for flag, kind, keys in [("list", "list-type", "list-map-keys"),
                             ("patch", "patch-strategy", "patch-merge-key")]:
        value, by = schema.get(f"x-kubernetes-{kind}"), schema.get(f"x-kubernetes-{keys}")
        by = ",".join(by) if isinstance(by, list) else by
        if value:
            flags.append(f"{flag}={value}" + (f":{by}" if by else ""))
    if schema.get("x-kubernetes-map-type") == "atomic":
        flags.append("atomic")
    return sorted(flags)


def compare_with_openapi(packages, definitions):
    """(how many structs were compared, differences)"""
    different, count, by_name = [], 0, {package.name: package for package in packages}
    for package in packages:
        for struct in package.structs.values():
            schema = definitions.get(openapi_name(package, struct))
            if not schema or struct.word == "either":
                continue
            count += 1
            where = f"{package.name}.{struct.name}"
            ours = {field.name: field for field in members(struct, package, by_name)}
            theirs = schema.get("properties", {})
            names = set(ours) | ({"apiVersion", "kind"} if struct.word == "kind" else set())
            required = {name for name, field in ours.items() if "required" in field.flags}
            if names != set(theirs):
                different.append(f"{where}: names {sorted(names ^ set(theirs))}")
            if required != set(schema.get("required", [])):
                different.append(f"{where}: required {sorted(required)}, {schema.get('required')}")
            for name in set(ours) & set(theirs):
                rules = sorted(flag for flag in ours[name].flags
                               if flag == "atomic" or flag.startswith(("list=", "patch=")))
                if rules != openapi_rules(theirs[name]):
                    different.append(f"{where}.{name}: {rules}, {openapi_rules(theirs[name])}")
    return count, different


def main():
    modules = module_folders()
    packages = fields.read_all(sorted((ROOT / "src" / "schema" / "fields").glob("*.fields")))
    folders = {package.name: folder_of(package, modules) for package in packages}
    read = go("run", str(HERE / "facts.go"), *map(str, folders.values()))
    if read.returncode != 0:
        skip(f"facts.go does not run: {read.stderr[-200:]}")
    facts = Facts(json.loads(read.stdout), folders)
    openapi = modules[KUBERNETES] / "api" / "openapi-spec" / "swagger.json"
    definitions = json.loads(openapi.read_text())["definitions"]
    structs = sum(len(package.structs) for package in packages)
    count = sum(len(struct.fields) for package in packages for struct in package.structs.values())

    tap = Tap()
    print(f"# {structs} types, {count} fields")
    for name, different in [("the types of Go", compare_with_go(packages, facts)),
                            ("generated.proto", compare_with_proto(packages, modules))]:
        tap.report(not different, f"our fields are those of {name}", different[:SHOWN])
    compared, different = compare_with_openapi(packages, definitions)
    tap.report(compared > 300 and not different,
               f"the rules of {compared} types are those of OpenAPI", different[:SHOWN])
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
