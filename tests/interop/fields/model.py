# SPDX-License-Identifier: Apache-2.0
"""model.py -- what the Go sources say about a type, in the words of our .fields files.

`facts.go` reads the sources; here its facts become lines as tools/fields.py reads them, without
their descriptions."""

import re

BASE = {"bool": "bool", "int32": "int32", "int64": "int64", "float64": "double",
        "string": "string", "[]byte": "bytes"}
SPECIAL = {("meta", "Time"): "time", ("meta", "MicroTime"): "micro-time",
           ("meta", "Duration"): "duration", ("meta", "FieldsV1"): "fields-v1",
           ("resource", "Quantity"): "quantity", ("intstr", "IntOrString"): "int-or-string",
           ("runtime", "RawExtension"): "raw", ("apiextensions", "JSON"): "raw:JSON"}
NAMED_ELSEWHERE = {("types", "UID"): "string", ("types", "NodeName"): "string"}
# Types that Go reads from JSON with code of their own: one of several forms.
EITHER = {"JSONSchemaPropsOrBool", "JSONSchemaPropsOrArray", "JSONSchemaPropsOrStringArray"}
# Lists that are messages of their own in protobuf: one form.  Outside of maps nil has none.
LISTS = {"ExtraValue", "AttestationValue", "Verbs"}
ITEMS = {"name": "Items", "embedded": False, "type": "[]string",
         "tags": {"protobuf": "bytes,1,rep"}, "markers": {}}


class Facts:
    """The packages that facts.go has read, by our names for them."""

    def __init__(self, facts, packages):
        self.packages = {name: facts[str(folder)] for name, folder in packages.items()}
        for package in self.packages.values():
            for name in LISTS & set(package["named"]):
                package["structs"][name] = {"fields": [ITEMS], "markers": {}}
        self.by_path = {path_of(folder): name for name, folder in packages.items()}

    def locate(self, package, name):
        """(package, name) of a Go identifier as it is written in |package|."""
        if "." not in name:
            return package, name
        alias, name = name.split(".")
        path = self.packages[package]["imports"][alias]
        return self.by_path.get(path, path.rsplit("/", 1)[1]), name

    def type_text(self, package, go, at):
        """The Go type |go|, read in |package|, as it is written in the file of |at|."""
        if go.startswith("*"):
            return self.type_text(package, go[1:], at) + "?"
        if go in BASE:
            return BASE[go]
        if go.startswith("[]"):
            return "[" + self.type_text(package, go[2:], at) + "]"
        key = re.match(r"map\[([\w.]+)\](.*)", go)
        if key:
            inner = self.type_text(package, key[2], at)
            return "{" + ("" if key[1] == "string" else key[1] + "=") + inner + "}"
        where, name = self.locate(package, go)
        if (where, name) in SPECIAL:
            return SPECIAL[where, name]
        shown = name if where == at else f"{where}.{name}"
        if (where, name) in NAMED_ELSEWHERE:
            return f"{NAMED_ELSEWHERE[where, name]}:{shown}"
        if name in self.packages[where]["structs"]:
            return shown + ("?" if name == "Verbs" else "")
        under = self.packages[where]["named"][name]
        if under.startswith("map[") or under.startswith("[]"):  # how Go prints it is its name
            under = re.sub(r"map\[\w+\]", "map[string]", under)
        return f"{self.type_text(where, under, at)}:{shown}"

    def struct(self, package, name):
        """(word that opens it, flags, fields) of a struct."""
        found = self.packages[package]["structs"][name]
        fields = [self.field(package, name, f) for f in found["fields"]]
        is_kind = any(f["embedded"] and f["name"] == "TypeMeta" for f in found["fields"])
        word = "either" if name in EITHER | LISTS else "kind" if is_kind else "struct"
        flags = ["atomic"] if found["markers"].get("structType") == ["atomic"] else []
        return word, flags, [f for f in fields if f]

    def field(self, package, struct, f):
        """(name, number, type, flags), or None for what every kind has."""
        if f["embedded"] and f["name"] == "TypeMeta":
            return None
        name, *options = f["tags"].get("json", "").split(",")
        number = f["tags"].get("protobuf", ",0").split(",")[1]
        if f["embedded"] and not name:
            return ("inline", int(number), self.type_text(package, f["type"], package), [])
        if struct in EITHER | LISTS:
            name, options = f["name"][0].lower() + f["name"][1:], ["omitempty"]
        flags = [self.default_text(package, flag) for flag in field_flags(f, options)]
        return (name, int(number), self.type_text(package, f["type"], package), flags)

    def default_text(self, package, flag):
        """A default may be given as the name of a constant."""
        named = re.fullmatch(r"default=ref\((\w+)\)", flag)
        return f"default={self.packages[package]['values'][named[1]]}" if named else flag


def field_flags(f, options):
    flags, markers, tags = [], f["markers"], f["tags"]
    is_omitted = "omitempty" in options or "omitzero" in options
    # As openapi-gen decides it: the last word is a marker's, else it is what is never left out.
    if "required" in markers or "optional" not in markers and not is_omitted:
        flags += ["required", "omitted"] if is_omitted else ["required"]
    elif not is_omitted:
        flags.append("always")
    if "omitzero" in options:
        flags.append("omitzero")
    if "listType" in markers:
        keys = [key.strip('"') for key in markers.get("listMapKey", [])]
        flags.append(f"list={markers['listType'][0]}" + (":" + ",".join(keys) if keys else ""))
    if "atomic" in markers.get("mapType", []) + markers.get("structType", []):
        flags.append("atomic")
    if "patchStrategy" in tags:
        key = tags.get("patchMergeKey")
        flags.append(f"patch={tags['patchStrategy']}" + (f":{key}" if key else ""))
    if "default" in markers:
        flags.append(f"default={markers['default'][0]}")
    return flags


def path_of(folder):
    """The import path of a folder in a module cache."""
    return re.sub(r"@[^/]*", "", re.search(r"k8s\.io/.*", str(folder))[0])
