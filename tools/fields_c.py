# SPDX-License-Identifier: Apache-2.0
"""fields_c.py -- the table of types, as fields.py has read it, written in C."""

import fields_wire

PLACES_MAX = 255  # members of a struct with a hash table: their positions have one byte
PLACE_FACTOR = 0x9E3779B97F4A7C15  # as in src/schema/types/type.c


def quoted_c(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def text_c(text):
    return f"LW_STR_INIT({quoted_c(text)})"


def is_added(field):
    """Whether a Go encoder writes the field even if it is absent from the document: omitempty does
    not omit structs, nor times, except that of a creation."""
    if "always" in field.flags or "required" in field.flags and "omitted" not in field.flags:
        return True
    if field.is_pointer:
        return False
    if field.type.form in ("TIME", "MICRO_TIME"):
        return field.name != "creationTimestamp"
    return field.type.form in ("STRUCT", "QUANTITY", "INT_OR_STRING")


def flags_c(field):
    flags = [name for word, name in (("required", "LW_FIELD_IS_REQUIRED"),
                                     ("atomic", "LW_FIELD_ATOMIC"),
                                     ("omitzero", "LW_FIELD_OMIT_ZERO")) if word in field.flags]
    if "always" in field.flags or "required" in field.flags and "omitted" not in field.flags:
        flags.append("LW_FIELD_ALWAYS")
    if is_added(field):
        flags.append("LW_FIELD_ADDED")
    if field.is_pointer:
        flags.append("LW_FIELD_POINTER")
    if field.is_inline:
        flags.append("LW_FIELD_INLINE")
    if field.value("list"):
        flags.append(f"LW_FIELD_LIST_{field.value('list').partition(':')[0].upper()}")
    for word in (field.value("patch") or "").partition(":")[0].split(","):
        if word:
            flags.append({"merge": "LW_FIELD_PATCH_MERGE", "retainKeys": "LW_FIELD_RETAIN_KEYS",
                          "replace": "LW_FIELD_PATCH_REPLACE"}[word])
    return " | ".join(flags) or "0"


def start_of(name):
    """lw_type_name_start."""
    return int.from_bytes(name.encode()[:8].ljust(8, b"\0"), "big")


def places_bits(count):
    """The binary logarithm of the size of a hash table for |count| members."""
    return max(count * 2 - 1, 1).bit_length()


def places_of(names):
    """lw_type.places of members with these |names|, which are sorted."""
    bits = places_bits(len(names))
    places = [0] * (1 << bits)
    for i, name in enumerate(names):
        at = (start_of(name) * PLACE_FACTOR & (1 << 64) - 1) >> 64 - bits
        while places[at]:
            at = (at + 1) % len(places)
        places[at] = i + 1
    return places


def kind_places_of(names):
    """lw_type_kind_places of kinds with these |names|."""
    bits = places_bits(len(names))
    places = [0] * (1 << bits)
    for i, name in enumerate(names):
        at = ((start_of(name) + len(name)) * PLACE_FACTOR & (1 << 64) - 1) >> 64 - bits
        while places[at]:
            at = (at + 1) % len(places)
        places[at] = i + 1
    return places, 64 - bits


def added_members(members):
    """The positions of those that a Go encoder adds: lw_type.added."""
    return [i for i, (_, field, via) in enumerate(members)
            if is_added(field) and not (via and via.is_pointer)]


class Texts:
    """Descriptions in one constant, each once.  Positions need no relocation, as pointers would;
    a struct of arrays, because a string literal may not be that long."""

    def __init__(self):
        self.at, self.len = {}, 0
        self.add("")

    def add(self, text):
        """The position of |text|."""
        if text not in self.at:
            self.at[text] = self.len
            self.len += len(text.encode()) + 1
        return self.at[text]

    def lines(self):
        members = "".join(f" char t{i}[{len(text.encode()) + 1}];" for i, text in enumerate(self.at))
        return [f"static const struct {{{members} }} texts = {{",
                *(f"    {quoted_c(text)}," for text in self.at), "};",
                "const char *const lw_type_texts = (const char *)&texts;"]


class Writer:
    """The table in C."""

    def __init__(self, table):
        self.table, self.lines, self.rules, self.texts = table, [], {}, Texts()
        self.package_index = {name: i for i, name in enumerate(table.packages)}

    def rules_of(self, field):
        """The name of the rules of |field|; most have none."""
        keys = (field.value("list") or "").partition(":")[2]
        patch = (field.value("patch") or "").partition(":")[2]
        default = field.value("default") or ""
        if not keys and not patch and not default:
            return "NULL"
        if (keys, patch, default) not in self.rules:
            name = f"rules_{len(self.rules)}"
            self.rules[keys, patch, default] = name
            listed = "".join(text_c(key) + ", " for key in keys.split(",") if key)
            self.lines += [f"static const lw_str {name}_keys[] = {{ {listed}{{ NULL, 0 }} }};",
                           f"static const lw_field_rules {name} = {{ {name}_keys, {text_c(patch)}, "
                           f"{text_c(default)} }};"]
        return "&" + self.rules[keys, patch, default]

    def struct(self, made):
        i, fields = made.index, made.struct.fields
        if not fields:
            return
        rules = [self.rules_of(field) for field in fields]
        self.lines.append(f"static const lw_field fields_{i}[] = {{ /* {made.go} */")
        for field, rule in zip(fields, rules):
            name = field.type.struct.name if field.is_inline else field.name
            self.lines.append(
                f"    {{ {text_c(name)}, &types[{field.type.index}], {rule}, "
                f"{self.texts.add(field.text)}, {field.number}, {flags_c(field)} }},")
        self.lines.append("};")
        self.numbered(made)

    def numbered(self, made):
        """The places of the fields that protobuf has, in the order of their numbers."""
        fields = made.struct.fields
        order = sorted((i for i, field in enumerate(fields) if field.number),
                       key=lambda i: fields[i].number)
        if order:
            self.lines.append(f"static const uint16_t numbered_{made.index}[] = "
                              f"{{ {', '.join(map(str, order))} }};")

    def members(self, made):
        members = self.table.members(made.struct)
        if not members:
            return
        self.lines.append(f"static const lw_member members_{made.index}[] = {{")
        for name, field, via in members:
            start = start_of(name)
            owner = via.type if via else made
            place = owner.struct.fields.index(field)
            through = self.place_of(made, via) if via else "NULL"
            self.lines.append(f"    {{ &fields_{owner.index}[{place}], {through}, "
                              f"UINT64_C({start:#x}) }},")
        self.lines.append("};")
        if len(members) <= PLACES_MAX:
            places = places_of([name for name, _, _ in members])
            self.lines.append(f"static const uint8_t places_{made.index}[] = "
                              f"{{ {', '.join(map(str, places))} }};")

        added = added_members(members)
        if added:
            self.lines.append(f"static const uint16_t added_{made.index}[] = "
                              f"{{ {', '.join(map(str, added))} }};")

    def place_of(self, made, via):
        """The inline field |via| of |made|, or of a struct that is inline in it."""
        for i, field in enumerate(made.struct.fields):
            if field is via:
                return f"&fields_{made.index}[{i}]"
        return next(filter(None, (self.place_of(field.type, via) for field in made.struct.fields
                                  if field.is_inline)), None)

    def type_row(self, made):
        parts = [f".form = LW_TYPE_{made.form}", f".go = {text_c(made.go)}",
                 f".wire = {made.index}"]
        if made.element:
            parts.append(f".element = &types[{made.element.index}]")
        if made.struct:
            struct = made.struct
            members = len(self.table.members(struct))
            parts += [f".package = &packages[{self.package_index[struct.package.name]}]",
                      f".name = {text_c(struct.name)}",
                      f".description = {self.texts.add(struct.text)}"]
            if struct.is_atomic:
                parts.append(".is_atomic = true")
            added = len(added_members(self.table.members(struct)))
            if added:
                parts.append(f".added = added_{made.index}, .added_count = {added}")
            if struct.fields:
                parts += [f".fields = fields_{made.index}, .field_count = {len(struct.fields)}",
                          f".members = members_{made.index}, .member_count = {members}"]
                if members <= PLACES_MAX:
                    parts += [f".places = places_{made.index}",
                              f".place_shift = {64 - places_bits(members)}"]
            numbered = sum(bool(field.number) for field in struct.fields)
            if numbered:
                parts.append(f".numbered = numbered_{made.index}, .numbered_count = {numbered}")
        self.lines.append(f"    [{made.index}] = {{ {', '.join(parts)} }},")

    def wire_row(self, made, is_repeated=False):
        """What the protobuf of a value of |made| looks like: lw_wire_row."""
        wires = {"BOOL": "VARINT", "INT32": "VARINT", "INT64": "VARINT"}
        if made.form in ("LIST", "MAP"):
            if is_repeated:
                return "{ LW_WIRE_BYTES, LW_WIRE_SLOW, 0 }"
            return (f"{{ LW_WIRE_BYTES, LW_WIRE_ENTER_EACH, {made.index} }}" if made.form == "MAP"
                    else self.wire_row(made.element, True))
        if made.form in wires:
            return f"{{ LW_WIRE_VARINT, {'LW_WIRE_SLOW' if is_repeated else 'LW_WIRE_SKIP'}, 0 }}"
        if made.form in ("STRING", "BYTES"):
            return "{ LW_WIRE_BYTES, LW_WIRE_SKIP, 0 }"
        if made.struct:
            enter = "LW_WIRE_ENTER_EACH" if is_repeated else "LW_WIRE_ENTER"
            return f"{{ LW_WIRE_BYTES, {enter}, {made.index} }}"
        special = {"TIME": "LW_WIRE_TIME", "MICRO_TIME": "LW_WIRE_TIME",
                   "QUANTITY": "LW_WIRE_QUANTITY",
                   "INT_OR_STRING": "LW_WIRE_INT_OR_STRING"}.get(made.form, "LW_WIRE_SLOW")
        return f"{{ LW_WIRE_BYTES, {'LW_WIRE_SLOW' if is_repeated else special}, 0 }}"

    def wire_rows(self, made):
        """The rows of a message, by field number; the entry of a map is a message too."""
        if made.form == "MAP":
            value = self.wire_row(made.element)
            if made.element.form in ("LIST", "MAP"):
                value = "{ LW_WIRE_BYTES, LW_WIRE_SLOW, 0 }"
            return {1: "{ LW_WIRE_BYTES, LW_WIRE_SKIP, 0 }", 2: value}
        if not made.struct:
            return {}
        return {field.number: self.wire_row(field.type) for field in made.struct.fields
                if field.number}

    def wires(self, types):
        rows, spans = ["{ 0, LW_WIRE_SLOW, 0 }"], []
        for made in types:
            numbered = self.wire_rows(made)
            count = max(numbered, default=-1) + 1
            spans.append(f"    {{ {len(rows)}, {count} }},")
            rows += [numbered.get(i, "{ 0, LW_WIRE_SLOW, 0 }") for i in range(count)]
        self.lines += ["static const lw_wire_row wire_rows[] = {",
                       *(f"    {row}," for row in rows), "};",
                       "const lw_wire_row *const lw_wire_rows = wire_rows;",
                       "static const lw_wire_span wire_spans[] = {", *spans, "};",
                       "const lw_wire_span *const lw_wire_spans = wire_spans;"]

    def kinds(self):
        rows = []
        for made in self.table.types.values():
            if made.struct and made.struct.word == "kind":
                for api in made.struct.package.apis:
                    group, _, version = api.rpartition("/")
                    rows.append((group, version, made.struct.name, made.index))
        self.lines.append("const lw_type_kind lw_type_kinds[] = {")
        rows.sort()
        places, shift = kind_places_of([name for _, _, name, _ in rows])
        for group, version, name, index in rows:
            self.lines.append(f"    {{ {{ {text_c(group)}, {text_c(version)}, {text_c(name)} }}, "
                              f"&types[{index}] }},")
        self.lines += ["};", f"const size_t lw_type_kind_count = {len(rows)};",
                       "const uint16_t lw_type_kind_places[] = "
                       f"{{ {', '.join(map(str, places))} }};",
                       f"const uint8_t lw_type_kind_shift = {shift};"]

    def text(self):
        types = list(self.table.types.values())
        structs = [made for made in types if made.struct]
        self.lines = ["/* Made by tools/fields.py from src/schema/fields/. */",
                      '#include "schema/types/type_table.h"', "", "#include <stddef.h>", "",
                      f"static const lw_type types[{len(types)}];", "",
                      "static const lw_package packages[] = {"]
        for package in self.table.packages.values():
            self.lines.append(f"    {{ {text_c(package.proto)} }},")
        self.lines.append("};")
        for made in structs:
            self.struct(made)
        for made in structs:
            self.members(made)
        self.lines.append(f"static const lw_type types[{len(types)}] = {{")
        for made in types:
            self.type_row(made)
        self.lines.append("};")
        self.wires(types)
        self.lines += fields_wire.lines(types)
        self.kinds()
        return "\n".join(self.lines) + "\n"

    def texts_text(self):
        """The descriptions, which programs that only read objects do not need.  After text()."""
        return "\n".join(["/* Made by tools/fields.py from src/schema/fields/. */",
                          '#include "schema/types/type_table.h"', "", *self.texts.lines()]) + "\n"
