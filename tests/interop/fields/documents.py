# SPDX-License-Identifier: Apache-2.0
"""documents.py -- random documents of random kinds, made from the tables of fields: most of them
nearly right."""

import json
import random

JUNK = ["1", '"x"', "true", "{}", "null", "1.5", "-7", '{"a":1}', "1e3", "99999999999", '"aGk="',
        '"2026-01-02T03:04:05Z"', "[]", '[1,"b"]']
NUMBERS = ["1.0", "-0", "2147483648", "9223372036854775808", "1e1"]
BASE64 = ["aGk", "", "YQ==", "YQ=\n=", "aGkh", "a", "*", "YQ=", "YQ==x"]
DEEPEST = 8


class Documents:
    def __init__(self, table, seed):
        self.table, self.random = table, random.Random(seed)
        self.kinds = [made for made in table.types.values()
                      if made.struct and made.struct.word == "kind"
                      and made.struct.package.name not in ("meta", "apidiscovery")]

    def line(self):
        """apiVersion TAB kind TAB document"""
        made = self.random.choice(self.kinds)
        api = made.struct.package.apis[0]
        return f"{api}\t{made.struct.name}\t{self.value(made, 0)}"

    def is_rare(self, chance):
        return self.random.random() < chance

    def value(self, made, depth):
        if self.is_rare(0.004):
            # Lists of numbers for bytes: the one thing where we differ, and say so.
            return self.random.choice(JUNK if made.form != "BYTES" else JUNK[:-2])
        if made.form in ("STRUCT", "LIST", "MAP", "EITHER"):
            return self.container(made, depth)
        return self.scalar(made.form)

    def container(self, made, depth):
        pick = self.random
        if made.form == "LIST":
            inside = [self.value(made.element, depth + 1) for _ in range(pick.randint(0, 2))]
            return f"[{','.join(inside)}]"
        if made.form == "MAP":
            inside = [f'"{pick.choice("abc")}":{self.value(made.element, depth + 1)}'
                      for _ in range(pick.randint(0, 3))]
            return f"{{{','.join(inside)}}}"
        if made.form == "EITHER":
            return self.value(pick.choice(made.struct.fields).type, depth + 1)
        return self.struct(made, depth)

    def struct(self, made, depth):
        members = self.table.members(made.struct)
        count = self.random.randint(0, min(len(members), 6 if depth < 5 else 2))
        if depth >= DEEPEST or not count:
            return "{}"
        choose = self.random.choices if self.is_rare(0.3) else \
            lambda those, k: self.random.sample(those, k)
        inside = []
        for name, field, _ in choose(members, k=count):
            key = json.dumps(name)
            if self.is_rare(0.02):
                key = json.dumps(name + self.random.choice(["x", "", '"', "\n", "é"]))
            elif self.is_rare(0.01):
                key = f'"\\u{ord(name[0]):04x}{name[1:]}"'
            inside.append(f"{key}:{self.value(field.type, depth + 1)}")
        return f"{{{','.join(inside)}}}"

    def scalar(self, form):
        pick = self.random.choice
        if form == "BOOL":
            return pick(["true", "false"])
        if form in ("INT32", "INT64"):
            return pick(NUMBERS) if self.is_rare(0.01) else str(self.random.randint(-5, 70000))
        if form == "DOUBLE":
            return pick(["1", "1.5", "1e9", "1e999"])
        if form == "BYTES":
            return json.dumps(pick(BASE64) if self.is_rare(0.2) else "aGk=")
        if form == "QUANTITY":
            return self.quantity() if self.is_rare(0.2) else '"1"'
        if form == "INT_OR_STRING":
            return pick(["1", '"x"'])
        if form in ("TIME", "MICRO_TIME"):
            fraction = ".000000" if form == "MICRO_TIME" else ""
            return self.time() if self.is_rare(0.2) else f'"2026-01-02T03:04:05{fraction}Z"'
        return pick(JUNK) if form in ("RAW", "FIELDS_V1") else json.dumps(pick(["a", "é", 'x"y']))

    def quantity(self):
        pick = self.random.choice
        number = pick(["", "-", "+"]) + pick(["1", "0", "1.5", ".5", "1.", "", "1.2.3", " 1"])
        return json.dumps(number + pick(["", "m", "Ki", "M", "k", "K", "e3", "E", "E5", "e+5", "e-5",
                                         "e", "i", "x", "n", "u", "5", "mm"]))

    def time(self):
        pick, number = self.random.choice, self.random.randint
        text = "2026-01-02T03:04:05"
        if self.is_rare(0.3):
            text = "%04d-%02d-%02dT%02d:%02d:%02d" % (number(1990, 2030), number(0, 13),
                                                      number(0, 32), number(0, 24),
                                                      number(0, 60), number(0, 60))
        text += pick(["", ".123456", ".1", ".12345678901", ",5", "."])
        text += pick(["Z", "+01:00", "-25:00", "+01:61", "z", "", "+0100", "Z ", "+1:000"])
        if self.is_rare(0.2):
            at = number(0, len(text) - 1)
            text = text[:at] + pick(["", "x", "é", '"', "\n", "0"]) + text[at + 1:]
        return json.dumps(text)


class SoundDocuments(Documents):
    """Documents with nothing wrong, of all kinds; quantities are written as Go writes them."""

    def __init__(self, table, seed):
        super().__init__(table, seed)
        self.kinds = [made for made in table.types.values()
                      if made.struct and made.struct.word == "kind"]

    def line(self):
        made = self.random.choice(self.kinds)
        package = made.struct.package
        # Of what is in every group, these are in one of their own.
        is_own = made.struct.name.startswith("PartialObject")
        api = package.apis[-1 if is_own else 0]
        return f"{api}\t{made.struct.name}\t{self.value(made, 0)}"

    def is_rare(self, _chance):
        return False

    def scalar(self, form):
        pick, number = self.random.choice, self.random.randint
        if form == "INT32":
            return str(pick([0, 1, 127, 128, 70000, -1, 2147483647, -2147483648]))
        if form == "INT64":
            return str(pick([0, 1, 300, -5, 9223372036854775807, -9223372036854775808]))
        if form == "DOUBLE":
            return pick(["0", "1", "-1.5", "1e21", "1e-7", "0.000001", "123456789012345680000",
                         "3.141592653589793", "5e-324", "1.7976931348623157e308"])
        if form == "STRING":
            return json.dumps(pick(["", "a", "é", 'x"y', "<&>\u2028", "\n\t\0", "\U0001f600" * 40]),
                              ensure_ascii=pick([True, False]))
        if form == "BYTES":
            return json.dumps(pick(["", "aGk=", "YQ==", "Y\nQ=\r\n=", "YR=="]))
        if form == "QUANTITY":
            return json.dumps(pick(["0", "100m", "1", "1536Mi", "5Gi", "12e6", "-1"]))
        if form == "INT_OR_STRING":
            return pick(["0", "80", "-3", '"http"', '""'])
        if form in ("TIME", "MICRO_TIME"):
            fraction = pick([".000000", ".123456"]) if form == "MICRO_TIME" else pick(["", ".9"])
            text = pick(["0001-01-01T00:00:00", "1969-12-31T23:59:59", "2026-01-02T03:04:05"])
            return json.dumps(text + fraction + pick(["Z", "Z", "+01:30"]))
        if form in ("RAW", "FIELDS_V1"):
            return pick(["null", "{}", '{"a": [1, "b <&>"] , "c":1e3}', "[ ]", '"x\\" y"', "1.0"])
        return super().scalar(form)

    def struct(self, made, depth):
        """Also with more members than those of bad documents have."""
        if depth < 3 and self.random.random() < 0.2:
            members = self.table.members(made.struct)
            inside = [f"{json.dumps(name)}:{self.value(field.type, depth + 1)}"
                      for name, field, _ in members]
            return f"{{{','.join(inside)}}}"
        return super().struct(made, depth)
