# SPDX-License-Identifier: Apache-2.0
"""fields_kinds.py -- how kinds are served: reads the @ lines of a .fields file, writes lw_kind tables.

docs/internals/fields.md describes the language.  fields.py calls read() for each line, finish() when all
files are read and their types are known, and text() for the C file."""

import re

from fields_c import text_c
from fields_mistake import Mistake

PLURAL = re.compile(r"[a-z][a-z0-9]*")
SYMBOL = re.compile(r"[a-z][a-z0-9_]*")
COLUMNS = re.compile(r"[a-z][a-z0-9_]*")
VERBS = {"create": "CREATE", "delete": "DELETE", "deletecollection": "DELETE_COLLECTION",
         "get": "GET", "list": "LIST", "patch": "PATCH", "update": "UPDATE", "watch": "WATCH"}
SUBRESOURCES = {"approval", "attach", "binding", "ephemeralcontainers", "eviction", "exec", "finalize",
                "log", "node_proxy", "pod_proxy", "portforward", "resize", "service_proxy",
                "scale", "status", "token"}
WRITES = {"generation": "GENERATION", "annotation-generation": "ANNOTATION_GENERATION",
          "conditional": "CONDITIONAL", "create-on-update": "CREATE_ON_UPDATE",
          "delete-returns": "DELETE_RETURNS", "graceful": "GRACEFUL",
          "orphan-dependents": "ORPHAN_DEPENDENTS", "no-dependents": "NO_DEPENDENTS"}
NAME_RULES = {"subdomain", "label", "path"}
SCALE = '&(const lw_scale_paths){ "/spec/replicas", "/status/replicas", "/spec/selector" }'
CELLS = {"string": "string", "integer": "int", "boolean": "bool"}  # by type of the column
MORE_CELLS = {"string-or-none", "string-or-unset", "string-or-unknown", "count", "selector",
              "labels", "container-names", "container-images", "age"}
RESOURCE_FORM = "expected: @resource PLURAL cluster|namespaced [OPTION=VALUE...]"
RESOURCE_OPTIONS = {"singular", "short", "categories", "storage", "verbs", "name", "columns",
                    "ttl", "symbol"}


def options_of(words, known, form, where):
    options = dict(word.split("=", 1) for word in words if "=" in word)
    if len(options) != len(words) or "" in options.values():
        raise Mistake(where, form)
    for name in options:
        if name not in known:
            raise Mistake(where, f"no such option: {name}")
    return options


def check_words(words, known, what, where):
    for word in words:
        if word not in known:
            raise Mistake(where, f"no such {what}: {word}")
    if len(set(words)) != len(words):
        raise Mistake(where, f"a {what} is named twice")


class Served:
    """A kind that the server serves: what its @ lines say."""

    def __init__(self, struct, words, where):
        if len(words) < 2 or not PLURAL.fullmatch(words[0]) or \
                words[1] not in ("cluster", "namespaced"):
            raise Mistake(where, RESOURCE_FORM)
        options = options_of(words[2:], RESOURCE_OPTIONS, RESOURCE_FORM, where)
        self.struct, self.where = struct, where
        self.plural, self.is_namespaced = words[0], words[1] == "namespaced"
        self.singular = options.get("singular", struct.name.lower())
        self.short = options["short"].split(",") if "short" in options else []
        self.categories = options["categories"].split(",") if "categories" in options else []
        self.verbs = options["verbs"].split(",") if "verbs" in options else list(VERBS)
        self.name_rule = options.get("name", "subdomain")
        self.columns = options.get("columns")
        self.symbol = options.get("symbol", self.plural)
        self.storage = options.get("storage", self.plural)
        self.ttl = options.get("ttl", "0")
        self.subresources, self.writes, self.labels, self.cells = [], [], [], []
        self.stored_as, self.has_storage = None, "storage" in options or "ttl" in options
        self.check(where)

    def check(self, where):
        check_words(self.verbs, VERBS, "verb", where)
        check_words([self.name_rule], NAME_RULES, "name rule", where)
        if not SYMBOL.fullmatch(self.symbol):
            raise Mistake(where, f"not a C name: {self.symbol}")
        if self.columns and not COLUMNS.fullmatch(self.columns):
            raise Mistake(where, f"not the name of a table of columns: {self.columns}")
        if not self.ttl.isdigit():
            raise Mistake(where, f"not a number of seconds: {self.ttl}")
        if "list" in self.verbs and not self.struct.list_kind:
            raise Mistake(where, f"{self.struct.name} can be listed: name its list in the kind line")

    def read(self, word, words, text, where):
        """An @ line after @resource."""
        if word == "@subresources":
            check_words(words, SUBRESOURCES, "subresource", where)
            self.subresources = words
        elif word == "@writes":
            check_words(words, WRITES, "rule of writes", where)
            self.writes = words
        elif word == "@select":
            self.labels.append((self.label(words, where), where))
        elif word == "@convert":
            if len(words) != 2 or "." not in words[0] or not SYMBOL.fullmatch(words[1]):
                raise Mistake(where, "expected: @convert PACKAGE.KIND CONVERSION")
            if self.has_storage:
                raise Mistake(where, "storage and ttl are those of the stored kind")
            self.stored_as = words[0], words[1], where
        elif word == "@column":
            self.cells.append((self.column(words, text, where), where))
        else:
            raise Mistake(where, f"no such line: {word}")

    @staticmethod
    def label(words, where):
        form = "expected: @select LABEL [path=POINTER] [else=POINTER] [fallback=VALUE]"
        if not words:
            raise Mistake(where, form)
        return words[0], options_of(words[1:], {"path", "else", "fallback"}, form, where)

    def column(self, words, text, where):
        """(title, type, pointer, cell, is it for wide tables, description)"""
        if self.columns:
            raise Mistake(where, "the columns are those of a table in C: remove columns= or this line")
        if words in (["Name"], ["Age"]):
            return words[0], None, None, None, False, ""
        is_wide = words[-1:] == ["wide"]
        words = words[:-1] if is_wide else words
        if len(words) not in (3, 4) or words[1] not in CELLS or not words[2].startswith("/"):
            raise Mistake(where, "expected: @column Name, @column Age, or "
                              "@column TITLE string|integer|boolean POINTER [CELL] [wide] -- TEXT")
        cell = words[3] if len(words) == 4 else CELLS[words[1]]
        if len(words) == 4:
            check_words([cell], MORE_CELLS, "cell", where)
        if not text:
            raise Mistake(where, "a column needs a description: -- TEXT")
        return words[0], words[1], words[2], cell.replace("-", "_"), is_wide, text


def read(struct, word, words, text, where):
    """Reads the line |word| |words| of |struct|."""
    if struct.word != "kind":
        raise Mistake(where, f"{word} belongs to a kind")
    if struct.fields:
        raise Mistake(where, f"{word} goes before the fields")
    if word == "@resource":
        if struct.served:
            raise Mistake(where, f"{struct.name} has a resource already")
        struct.served = Served(struct, words, where)
    elif not struct.served:
        raise Mistake(where, f"{word} goes after @resource")
    else:
        struct.served.read(word, words, text, where)


def find(made, path):
    """True when the type |made| has a value at |path|, names of members and numbers in lists."""
    for name in path:
        if made.form == "LIST" and name.isdigit() or made.form == "MAP":
            made = made.element
            continue
        inside = made.struct.fields if made.struct else []
        inside = [inner for field in inside
                  for inner in (field.type.struct.fields if field.is_inline else [field])]
        made = next((field.type for field in inside if field.name == name), None)
        if not made:
            return False
    return True


def stored_type(table, made):
    """The type that objects of the kind |made| are stored as; takes over where they are."""
    served = made.struct.served
    if not served.stored_as:
        return made
    name, _, where = served.stored_as
    stored = table.types.get(name)
    hub = stored.struct.served if stored and stored.struct else None
    if not hub or hub.stored_as or hub.is_namespaced != served.is_namespaced:
        raise Mistake(where, f"{name} is not a kind that is stored and has the same scope")
    served.hub, served.storage, served.ttl = hub, hub.storage, hub.ttl
    return stored


def check_paths(served, made):
    """Each path of a selectable field or a column leads to a field of the stored object."""
    paths = [(column[2], where) for column, where in served.cells if column[2]]
    for (label, options), where in served.labels:
        paths.append((options.get("path", "/" + label.replace(".", "/")), where))
        if "else" in options:
            paths.append((options["else"], where))
    for path, where in paths:
        if not path.startswith("/") or not find(made, path[1:].split("/")):
            raise Mistake(where, f"{made.struct.name} has no field {path}")


def version_order(version):
    """The key by which versions are sorted, the preferred one first: v2, v1, v1beta1, v1alpha1."""
    made = re.fullmatch(r"v(\d+)(?:(alpha|beta)(\d+))?", version)
    if not made:
        return 3, 0, 0, version
    stage = {None: 0, "beta": 1, "alpha": 2}[made[2]]
    return stage, -int(made[1]), -int(made[3] or 0), version


def order(served):
    package = served.struct.package
    group, version = group_of(served)
    return -package.priority, group, version_order(version), served.plural


def group_of(served):
    group, _, version = served.struct.package.apis[0].rpartition("/")
    return group, version


def finish(table):
    """The served kinds of the table, in the order of discovery."""
    kinds, symbols = [], {}
    for made in table.types.values():
        served = made.struct.served if made.struct else None
        if not served:
            continue
        package = made.struct.package
        if package.priority is None or len(package.apis) != 1:
            raise Mistake(served.where,
                          "a package with a resource needs one API version and priority=NUMBER")
        if served.symbol in symbols:
            raise Mistake(served.where, f"lw_kind_{served.symbol} is defined already: "
                          f"{symbols[served.symbol]}; add symbol=NAME")
        symbols[served.symbol] = served.where
        check_paths(served, stored_type(table, made))
        served.empty = "".join(empty_members(made)) if "watch" in served.verbs else ""
        kinds.append(served)
    return sorted(kinds, key=order)


# What is written of a value that was never set.
EMPTY = {"BOOL": "false", "INT32": "0", "INT64": "0", "DOUBLE": "0", "STRING": '""',
         "QUANTITY": '"0"', "INT_OR_STRING": "0", "DURATION": '"0s"'}


def empty_value(field):
    if field.is_pointer:
        return "null"
    if field.type.form == "STRUCT":
        members = "".join(members_of(field.type))
        return "{" + members[1:] + "}"
    return EMPTY.get(field.type.form, "null")


def is_written_empty(field):
    """Whether Go writes the field when it is not set."""
    if "always" in field.flags or "required" in field.flags and "omitted" not in field.flags:
        return True
    is_plain = field.type.form in ("STRUCT", "TIME", "MICRO_TIME") and not field.is_pointer
    return is_plain and "omitzero" not in field.flags


def members_of(made):
    for field in made.struct.fields:
        if field.is_inline:
            yield from members_of(field.type)
        elif is_written_empty(field):
            yield f',"{field.name}":{empty_value(field)}'


def empty_members(made):
    """What an object of the kind has behind its metadata when nothing is set."""
    return (member for member in members_of(made)
            if not member.startswith((',"metadata":', ',"kind":', ',"apiVersion":')))


def texts_c(texts):
    listed = "".join(text_c(text) + ", " for text in texts)
    return f"(const lw_str[]){{ {listed}{{ NULL, 0 }} }}"


def pointer_c(text):
    return f'"{text}"' if text is not None else "NULL"


def bits_c(words, prefix, names=None):
    return " | ".join(prefix + (names[word] if names else word.upper()) for word in words)


def columns_c(served):
    """The table of columns that the @column lines are."""
    yield f"static const lw_table_column columns_{served.symbol}[] = {{"
    for (title, kind, pointer, cell, is_wide, text), _ in served.cells:
        if kind is None:
            yield f"    LW_TABLE_COLUMN_{title.upper()},"
        else:
            escaped = text.replace("\\", "\\\\").replace('"', '\\"')
            yield (f'    LW_COLUMN("{title}", "{kind}", {int(is_wide)}, "{pointer}", '
                   f'lw_table_cell_{cell}, "{escaped}"),')
    yield "    LW_TABLE_COLUMN_END,"
    yield "};"


def labels_c(served):
    yield f"static const lw_field_label labels_{served.symbol}[] = {{"
    for (label, options), _ in served.labels:
        yield (f"    {{ {text_c(label)}, {pointer_c(options.get('path'))}, "
               f"{pointer_c(options.get('else'))}, {pointer_c(options.get('fallback'))} }},")
    yield "    { .label = { NULL, 0 } },"
    yield "};"


def members_c(served):
    """(member of lw_kind, its value) of what is not zero."""
    group, version = group_of(served)
    yield "group", text_c(group)
    yield "version", text_c(version)
    yield "group_priority", str(served.struct.package.priority)
    yield "version_priority", str(served.struct.package.version_priority)
    yield "kind", text_c(served.struct.name)
    if served.struct.list_kind:
        yield "list_kind", text_c(served.struct.list_kind)
    yield "plural", text_c(served.plural)
    yield "singular", text_c(served.singular)
    if served.storage != "none":
        yield "storage", text_c(served.storage)
    if served.ttl != "0":
        yield "ttl_s", served.ttl
    if served.is_namespaced:
        yield "is_namespaced", "true"
    yield "verbs", bits_c(served.verbs, "LW_VERB_", VERBS)
    if served.subresources:
        yield "subresources", bits_c(served.subresources, "LW_SUB_")
    if served.writes:
        yield "flags", bits_c(served.writes, "LW_KIND_", WRITES)
    yield "name_rule", "LW_NAME_" + served.name_rule.upper()
    if served.short:
        yield "short_names", texts_c(served.short)
    if served.categories:
        yield "categories", texts_c(served.categories)
    if served.labels:
        yield "fields", f"labels_{served.symbol}"
    if served.columns:
        yield "columns", f"lw_table_columns_{served.columns}"
    elif served.cells:
        yield "columns", f"columns_{served.symbol}"
    if "scale" in served.subresources:
        yield "scale", SCALE
    if served.empty:
        yield "empty_members", text_c(served.empty)
    if served.stored_as:
        yield "stored_as", f"&lw_kind_{served.hub.symbol}"
        yield "conversion", f"&lw_conversion_{served.stored_as[1]}"


def text(kinds):
    """The C file of |kinds|, which are in the order of discovery."""
    lines = ["/* Made by tools/fields.py from src/schema/fields/. */",
             '#include "schema/kinds/conversion.h"', '#include "schema/kinds/kinds.h"',
             '#include "schema/printers/printers.h"', ""]
    lines += [f"extern const lw_kind lw_kind_{served.symbol};" for served in kinds]
    for served in kinds:
        if served.labels:
            lines += labels_c(served)
        if served.cells:
            lines += columns_c(served)
        lines.append(f"const lw_kind lw_kind_{served.symbol} = {{")
        lines += [f"    .{name} = {value}," for name, value in members_c(served)]
        lines.append("};")
    lines.append("static const lw_kind *const builtin[] = {")
    lines += [f"    &lw_kind_{served.symbol}," for served in kinds]
    lines += ["};", "", "const lw_kind *const *lw_kinds_builtin(size_t *count)", "{",
              "    *count = sizeof(builtin) / sizeof(builtin[0]);", "    return builtin;", "}"]
    return "\n".join(lines) + "\n"
