# SPDX-License-Identifier: Apache-2.0
"""fields_wire.py -- how structs are written as protobuf, in C: lw_wire_field of type_table.h."""

from fields_mistake import Mistake

WIRE_TYPES = {"BOOL": 0, "INT32": 0, "INT64": 0, "DOUBLE": 1}
BYTES = 2
TAG_MAX = 2  # LW_WIRE_TAG_MAX
SLACK = 16  # LW_WIRE_SLACK
INLINE_MAX = 3  # inline structs in each other: numbers in the key of a lw_proto_part, less one
# What the message of a zero contains.
ZEROS = {"QUANTITY": b"\x0a\x010", "INT_OR_STRING": b"\x08\x00\x10\x00\x1a\x00"}


def varint(value):
    made = b""
    while value >= 0x80:
        made += bytes([value & 0x7f | 0x80])
        value >>= 7
    return made + bytes([value])


def tag_of(field):
    """The tag of the field, or of each of its elements; empty if protobuf does not have it."""
    made = field.type.element if field.type.form == "LIST" else field.type
    tag = varint(field.number << 3 | WIRE_TYPES.get(made.form, BYTES)) if field.number else b""
    if len(tag) > TAG_MAX:
        raise Mistake(field.where, f"the tag of number {field.number} is too long")
    return tag


def by_number(struct):
    return sorted((field for field in struct.fields if field.number), key=lambda f: f.number)


def absent(field):
    """The bytes of the field if its object does not have it."""
    if field.is_pointer or field.type.form in ("LIST", "MAP", "BYTES"):
        return b""
    if field.type.form in ("EITHER", "DURATION", "FIELDS_V1"):
        raise Mistake(field.where, "a field of this type must be a pointer")
    if field.type.form == "DOUBLE":
        return tag_of(field) + bytes(8)
    inner = ZEROS.get(field.type.form, b"")
    if field.type.form == "STRUCT":
        inner = b"".join(map(absent, by_number(field.type.struct)))
    return tag_of(field) + varint(len(inner)) + inner


def check_inline(struct, levels):
    """A field has at most |levels| inline structs in each other."""
    for field in struct.fields:
        if field.is_inline and field.number:
            if not levels:
                raise Mistake(field.where, "there are too many inline structs in each other")
            check_inline(field.type.struct, levels - 1)


def field_rows(made):
    """The rows of the fields, and the bytes of all of them if they are absent."""
    check_inline(made.struct, INLINE_MAX)
    places, zeros = {}, b""
    for field in by_number(made.struct) if made.form == "STRUCT" else []:
        places[field] = len(zeros), len(zeros) + len(absent(field))
        zeros += absent(field)
    rows = []
    for field in made.struct.fields:
        tag, (begin, end) = tag_of(field), places.get(field, (0, 0))
        listed = ", ".join(f"{byte:#04x}" for byte in tag.ljust(TAG_MAX, b"\0"))
        rows.append(f"    {{ {begin}, {end}, {{ {listed} }}, {len(tag)}, "
                    f"LW_TYPE_{field.type.form} }},")
    return rows, zeros


def sign(name):
    """lw_wire_sign of the name."""
    encoded = name.encode()
    return (len(encoded) * 37 + encoded[0] * 5 + encoded[-1]) & 0xff


class Zeros:
    """The bytes of absent fields of all structs, in one constant."""

    def __init__(self):
        self.bytes = b""

    def add(self, wanted):
        """The position of |wanted|."""
        at = self.bytes.find(wanted)
        if at < 0:
            at = len(self.bytes)
            self.bytes += wanted
        return at



def constant(name, numbers):
    """The bytes |numbers| and SLACK zeros as a constant."""
    listed = [*numbers, *bytes(SLACK)]
    return [f"static const unsigned char {name}[] = {{",
            *("    " + " ".join(f"{byte}," for byte in listed[i:i + SLACK])
              for i in range(0, len(listed), SLACK)), "};"]


def lines(types):
    """The tables of |types|, all types in the order of their numbers."""
    zeros, rows, messages, signs = Zeros(), [], [], []
    for made in types:
        own, its_zeros = field_rows(made) if made.struct else ([], b"")
        messages.append(f"    {{ {len(rows)}, {zeros.add(its_zeros)}, {len(its_zeros)} }},")
        rows += own
        if made.struct:
            signs += [0 if field.is_inline else sign(field.name) for field in made.struct.fields]
    return ["static const lw_wire_field wire_fields[] = {", *rows, "};",
            "const lw_wire_field *const lw_wire_fields = wire_fields;",
            "static const lw_wire_message wire_messages[] = {", *messages, "};",
            "const lw_wire_message *const lw_wire_messages = wire_messages;",
            *constant("zeros", zeros.bytes),
            "const char *const lw_wire_zeros = (const char *)zeros;",
            *constant("signs", signs), "const unsigned char *const lw_wire_signs = signs;"]
