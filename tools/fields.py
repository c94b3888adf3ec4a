#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fields.py -- compiles src/schema/fields/*.fields, the built-in kinds and their fields, to C.

    fields.py --output FIELDS.c --texts TEXTS.c --kinds KINDS.c FILE.fields...    the types, their
                                              descriptions, and the served kinds
    fields.py --missing FILE.fields...                            counts missing descriptions

docs/internals/fields.md describes the language.  An error names the file and the line."""

import argparse
import re
import sys
from pathlib import Path

import fields_kinds
from fields_c import Writer
from fields_mistake import Mistake

# Word in a .fields file: (the form in C, how Go prints the type).
SCALARS = {
    "bool": ("BOOL", "bool"), "int32": ("INT32", "int32"), "int64": ("INT64", "int64"),
    "double": ("DOUBLE", "float64"), "string": ("STRING", "string"), "bytes": ("BYTES", "[]uint8"),
    "quantity": ("QUANTITY", "resource.Quantity"),
    "int-or-string": ("INT_OR_STRING", "intstr.IntOrString"), "time": ("TIME", "v1.Time"),
    "micro-time": ("MICRO_TIME", "v1.MicroTime"), "duration": ("DURATION", "v1.Duration"),
    "raw": ("RAW", "runtime.RawExtension"), "fields-v1": ("FIELDS_V1", "v1.FieldsV1"),
}
MEMBERS_MAX = 512  # LW_TYPE_MEMBERS_MAX of src/schema/types/type.h
NUMBER_MAX = 65535
NAME = re.compile(r"[A-Za-z$][\w$-]*")
TYPE_NAME = re.compile(r"[A-Z]\w*")
WORD_FLAGS = {"required", "omitted", "omitzero", "always", "atomic"}
LIST_TYPES = {"atomic", "set", "map"}
STRATEGIES = {"merge", "retainKeys", "merge,retainKeys", "replace"}
OPENERS = {"struct": "STRUCT", "kind": "STRUCT", "either": "EITHER"}


VERSION_PRIORITY = 15  # of a version in its group, as most in kube-apiserver


class Package:
    """The types of one version of one API group; several files may have a part of it."""

    def __init__(self, name, proto, apis, priority, version_priority):
        self.name, self.proto, self.apis, self.priority = name, proto, apis, priority
        self.version_priority = version_priority
        self.go = proto.rsplit(".", 1)[1]
        self.structs = {}

    def head(self):
        return self.name, self.proto, self.apis, self.priority, self.version_priority


class Struct:
    def __init__(self, package, word, name, list_kind, is_atomic, text, where):
        self.package, self.word, self.name, self.list_kind = package, word, name, list_kind
        self.is_atomic, self.text, self.where = is_atomic, text, where
        self.fields, self.served = [], None


class Field:
    def __init__(self, name, number, type_text, flags, text, where):
        self.name, self.number, self.type_text = name, number, type_text
        self.flags, self.text, self.where = flags, text, where

    def value(self, flag):
        """What stands behind "flag=", or None."""
        return next((f.split("=", 1)[1] for f in self.flags if f.startswith(flag + "=")), None)


def read_package(packages, words, where):
    options = dict(word.split("=", 1) for word in words[1:] if "=" in word)
    priority = options.pop("priority", None)
    version_priority = options.pop("version-priority", None)
    given = [number for number in (priority, version_priority) if number is not None]
    if len(words) != 3 + len(given) or set(options) != {"proto", "api"} or \
            "." not in options["proto"] or not all(number.isdigit() for number in given):
        raise Mistake(where, "expected: package NAME proto=PACKAGE api=VERSION[,VERSION] "
                      "[priority=NUMBER] [version-priority=NUMBER]")
    made = Package(words[0], options["proto"], options["api"].split(","),
                   None if priority is None else int(priority),
                   int(version_priority or VERSION_PRIORITY))
    if packages.setdefault(made.name, made).head() != made.head():
        raise Mistake(where, f"package {made.name} is another one elsewhere")
    return packages[made.name]


def read_struct(package, word, words, text, where):
    is_atomic = words[-1] == "atomic"
    names = words[:-1] if is_atomic else words
    most = 2 if word == "kind" else 1
    if not 1 <= len(names) <= most or not all(TYPE_NAME.fullmatch(name) for name in names):
        raise Mistake(where, "expected: struct NAME [atomic], kind NAME [LIST], or either NAME")
    if names[0] in package.structs:
        raise Mistake(where, f"{names[0]} is there already: {package.structs[names[0]].where}")
    list_kind = names[1] if len(names) == 2 else None
    return Struct(package, word, names[0], list_kind, is_atomic, text, where)


def check_flag(flag, where):
    name, _, value = flag.partition("=")
    kind, _, keys = value.partition(":")
    good = (flag in WORD_FLAGS
            or name == "list" and kind in LIST_TYPES and (kind == "map") == bool(keys)
            or name == "patch" and kind in STRATEGIES
            or name == "default" and value != "")
    if not good:
        raise Mistake(where, f"no such flag: {flag}")


def read_field(words, text, where):
    if len(words) < 3 or not NAME.fullmatch(words[0]) or not words[1].isdigit():
        raise Mistake(where, "expected: NAME NUMBER TYPE [FLAGS] [-- TEXT]")
    if int(words[1]) > NUMBER_MAX:
        raise Mistake(where, f"the number is beyond {NUMBER_MAX}")
    for flag in words[3:]:
        check_flag(flag, where)
    return Field(words[0], int(words[1]), words[2], words[3:], text, where)


def read_file(packages, path):
    """Puts what one file has into its package."""
    package = struct = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        where = f"{path}:{number}"
        code, _, text = line.partition(" -- ")
        words = code.split()
        if not words or words[0].startswith("#"):
            continue
        if line[0] != " ":
            if words[0] == "package" and not package:
                package = read_package(packages, words[1:], where)
            elif words[0] in OPENERS and package and len(words) > 1:
                struct = read_struct(package, words[0], words[1:], text.strip(), where)
                package.structs[struct.name] = struct
            else:
                raise Mistake(where, "expected package first, then struct, kind or either")
        elif not struct:
            raise Mistake(where, "a field without a struct")
        elif words[0].startswith("@"):
            fields_kinds.read(struct, words[0], words[1:], text.strip(), where)
        else:
            struct.fields.append(read_field(words, text.strip(), where))
    if not package:
        raise Mistake(f"{path}:1", "there is no package line")


def add_lists(package):
    """A kind that names its list gets one."""
    for struct in list(package.structs.values()):
        if struct.list_kind:
            made = Struct(package, "kind", struct.list_kind, None, False,
                          f"A list of objects of kind {struct.name}.", struct.where)
            made.fields = [
                Field("metadata", 1, "meta.ListMeta", [], "Standard list metadata.", struct.where),
                Field("items", 2, f"[{struct.name}]", ["required"], "The objects.", struct.where)]
            package.structs[made.name] = made


class Type:
    """A type as it is written into the table."""

    def __init__(self, index, form, go):
        self.index, self.form, self.go = index, form, go
        self.struct = self.element = None


class Table:
    """All types of all packages, each once."""

    def __init__(self, packages):
        self.packages = {package.name: package for package in packages}
        self.types = {}
        for package in packages:
            for struct in package.structs.values():
                key = f"{package.name}.{struct.name}"
                self.types[key] = Type(len(self.types), OPENERS[struct.word],
                                       f"{package.go}.{struct.name}")
                self.types[key].struct = struct
        for package in packages:
            for struct in package.structs.values():
                self.resolve_struct(struct)
        self.kinds = fields_kinds.finish(self)

    def resolve_struct(self, struct):
        if struct.word == "kind":
            struct.fields.insert(0, Field("inline", 0, "meta.TypeMeta", [], "", struct.where))
        for field in struct.fields:
            text = field.type_text
            field.is_pointer = text.endswith("?")
            field.type = self.type_of(struct.package, text.rstrip("?"), field.where)
            field.is_inline = field.name == "inline"
            if field.is_inline and field.type.form != "STRUCT":
                raise Mistake(field.where, f"{text} is no struct: it cannot be inline")
            is_bytes = text.rstrip("?") == "bytes" and field.value("list") == "atomic"
            if field.value("list") and field.type.form != "LIST" and not is_bytes:
                raise Mistake(field.where, f"{text} is no list")
            if "atomic" in field.flags and field.type.form not in ("MAP", "STRUCT"):
                raise Mistake(field.where, f"{text} is neither map nor struct")
        self.check_numbers(struct)

    @staticmethod
    def check_numbers(struct):
        numbers = {}
        for field in struct.fields:
            if field.number and field.number in numbers:
                raise Mistake(field.where, f"number {field.number} is that of "
                              f"{numbers[field.number]}")
            numbers[field.number] = field.name

    def type_of(self, package, text, where):
        """The type written as |text| in |package|."""
        made = re.fullmatch(r"([\[{])(.*)([\]}])(?::([\w.]+))?", text)
        if made and made[1] + made[3] in ("[]", "{}"):
            return self.container(package, made, where)
        base, _, name = text.partition(":")
        if base in SCALARS:
            form, go = SCALARS[base]
            return self.keep(form, self.go_name(package, name, where) if name else go)
        key = base if "." in base else f"{package.name}.{base}"
        if name or key not in self.types:
            raise Mistake(where, f"no such type: {text}")
        return self.types[key]

    def container(self, package, made, where):
        inner, key = made[2], "string"
        keyed = re.fullmatch(r"([\w.]+)=(.*)", inner)
        if keyed and made[1] == "{":
            key, inner = keyed[1] if "." in keyed[1] else f"{package.go}.{keyed[1]}", keyed[2]
        element = self.type_of(package, inner, where)
        go = f"[]{element.go}" if made[1] == "[" else f"map[{key}]{element.go}"
        if made[4]:
            go = self.go_name(package, made[4], where)
        return self.keep("LIST" if made[1] == "[" else "MAP", go, element)

    def go_name(self, package, name, where):
        """How Go prints the name of a type: after the last part of the path it comes from."""
        if "." not in name:
            return f"{package.go}.{name}"
        alias, name = name.split(".", 1)
        known = self.packages.get(alias)
        if not TYPE_NAME.fullmatch(name):
            raise Mistake(where, f"no name of a type: {name}")
        return f"{known.go if known else alias}.{name}"

    def keep(self, form, go, element=None):
        key = (form, go, element and element.index)
        if key not in self.types:
            self.types[key] = Type(len(self.types), form, go)
            self.types[key].element = element
        return self.types[key]

    def members(self, struct):
        """(JSON name, field, the inline field that has it or None), in the order of their names."""
        found = {}
        self.gather(struct, None, found)
        if len(found) > MEMBERS_MAX:
            raise Mistake(struct.where, f"more than {MEMBERS_MAX} fields")
        for field, _ in found.values():
            self.check_keys(field)
        return [(name, *found[name]) for name in sorted(found, key=str.encode)]

    def gather(self, struct, via, found):
        """Adds the fields of |struct|, which the inline field |via| has, and of those inline in it."""
        for field in struct.fields:
            if field.is_inline:
                self.gather(field.type.struct, field, found)
            elif field.name in found:
                raise Mistake((via or field).where, f"{field.name} is there twice")
            else:
                found[field.name] = (field, via)

    @staticmethod
    def check_keys(field):
        """What lists are merged by is in their elements."""
        keys = (field.value("list") or "").partition(":")[2].split(",")
        keys += (field.value("patch") or "").partition(":")[2].split(",")
        element = field.type.element if field.type.form == "LIST" else None
        inside = element.struct.fields if element and element.struct else []
        names = {inner.name for outer in inside
                 for inner in (outer.type.struct.fields if outer.is_inline else [outer])}
        for key in filter(None, keys):
            if key not in names:
                raise Mistake(field.where, f"{key} is no field of the elements")


def read_all(paths):
    packages = {}
    for path in paths:
        read_file(packages, path)
    for package in packages.values():
        add_lists(package)
    return list(packages.values())


def print_missing(packages):
    """How many descriptions are missing, by package."""
    total = missing = 0
    for package in packages:
        fields = [field for struct in package.structs.values() for field in struct.fields
                  if field.name != "inline"]
        without = sum(not field.text for field in fields)
        total, missing = total + len(fields), missing + without
        print(f"{package.name}: {len(package.structs)} types, {len(fields)} fields, "
              f"{without} without a description")
    print(f"{total} fields, {missing} without a description")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, help="the C file of the types")
    parser.add_argument("--texts", type=Path, help="the C file of the descriptions")
    parser.add_argument("--kinds", type=Path, help="the C file of the served kinds")
    parser.add_argument("--missing", action="store_true", help="count missing descriptions")
    parser.add_argument("files", nargs="+", type=Path)
    args = parser.parse_args()
    try:
        packages = read_all(args.files)
        if args.missing:
            print_missing(packages)
        table = Table(packages)
        writer = Writer(table)
        text = writer.text()
    except (Mistake, OSError) as problem:
        sys.exit(str(problem))
    if args.output:
        args.output.write_text(text, encoding="utf-8")
    if args.texts:
        args.texts.write_text(writer.texts_text(), encoding="utf-8")
    if args.kinds:
        args.kinds.write_text(fields_kinds.text(table.kinds), encoding="utf-8")


if __name__ == "__main__":
    main()
