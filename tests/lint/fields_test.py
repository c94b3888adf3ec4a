#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fields_test.py -- tools/fields.py accepts what docs/internals/fields.md promises, and names file and line of
each mistake."""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools" / "checks"))
from check import Tap  # noqa: E402

TEXT_MAX = 200  # characters of a description
HEAD = "package a proto=k8s.io.api.a.v1 api=a/v1 priority=9\n"
META = """package meta proto=k8s.io.meta.v1 api=v1,meta.k8s.io/v1
struct TypeMeta
  kind 1 string
  apiVersion 2 string
struct ListMeta
  continue 3 string
"""

# (what, lines behind HEAD, what the table has in it)
GOOD = [
    ("a kind is known in each of its versions", "kind A\n",
     ['{ { LW_STR_INIT("a"), LW_STR_INIT("v1"), LW_STR_INIT("A") }']),
    ("each description once", "struct A -- One.\n  b 1 bool -- \"Two\".\n  c 2 bool -- One.\n",
     ['"",\n    "\\"Two\\".",\n    "One.",\n}', "&types[4], NULL, 1, 1,", "&types[4], NULL, 8, 2,",
      ".description = 8"]),
    ("a kind may have a list", "kind A AList\n", ['LW_STR_INIT("AList")', '"[]v1.A"']),
    ("Go's names of types", "struct A\n  b 1 {K=string:types.UID}\n  c 2 [meta.ListMeta]:Many?\n",
     ['"map[v1.K]types.UID"', '"v1.Many"', "LW_FIELD_POINTER"]),
    ("fields that Go never omits", "struct A\n  b 1 B\n  c 2 B?\n  creationTimestamp 3 time\n"
     "  d 4 time\n  e 5 string required\n  f 6 string required omitted\nstruct B\n",
     ["0, 1, LW_FIELD_ADDED }", "0, 2, LW_FIELD_POINTER }", "0, 3, 0 }", "0, 4, LW_FIELD_ADDED }",
      "0, 5, LW_FIELD_IS_REQUIRED | LW_FIELD_ALWAYS | LW_FIELD_ADDED }",
      "0, 6, LW_FIELD_IS_REQUIRED }"]),
    ("rules of lists", "struct A\n  b 1 [A] list=map:c,d patch=merge,retainKeys:c required\n"
     "  c 2 string default=\"x\"\n  d 3 int32 required omitted\n",
     ['{ LW_STR_INIT("c"), LW_STR_INIT("d"), { NULL, 0 } }', "LW_FIELD_LIST_MAP",
      "LW_FIELD_PATCH_MERGE | LW_FIELD_RETAIN_KEYS", 'LW_STR_INIT("\\"x\\"")',
      "3, LW_FIELD_IS_REQUIRED }"]),
    ("members of inline structs", "struct A\n  inline 1 B\nstruct B\n  c 1 string\n",
     ["{ &fields_3[0], &fields_2[0], UINT64_C(0x6300000000000000) }"]),
    ("members of structs that are inline in inline ones",
     "struct A\n  inline 1 B\nstruct B\n  inline 2 C\nstruct C\n  c 1 string\n",
     ["{ &fields_4[0], &fields_3[0], UINT64_C(0x6300000000000000) }"]),
    ("keys of maps whose type is of another package", "struct A\n  b 1 {v2.K=string}\n",
     ['"map[v2.K]string"']),
    ("a served kind: what is not said is derived from the names",
     "kind A AList\n  @resource as namespaced\n",
     ["const lw_kind lw_kind_as = {", '.group = LW_STR_INIT("a")', '.version = LW_STR_INIT("v1")',
      '.list_kind = LW_STR_INIT("AList")', '.plural = LW_STR_INIT("as")',
      '.singular = LW_STR_INIT("a")', '.storage = LW_STR_INIT("as")', ".is_namespaced = true",
      "LW_VERB_LIST", ".name_rule = LW_NAME_SUBDOMAIN", "    &lw_kind_as,"]),
    ("a served kind with all options",
     "kind A\n  @resource as cluster singular=one short=x,y categories=all storage=b/as verbs=get "
     "name=label columns=pod ttl=60 symbol=others\n  @subresources scale status\n"
     "  @writes generation conditional\n",
     ['.singular = LW_STR_INIT("one")', '{ LW_STR_INIT("x"), LW_STR_INIT("y"), { NULL, 0 } }',
      '.storage = LW_STR_INIT("b/as")', ".verbs = LW_VERB_GET,", ".name_rule = LW_NAME_LABEL",
      ".columns = lw_table_columns_pod", ".ttl_s = 60", "lw_kind_others",
      ".subresources = LW_SUB_SCALE | LW_SUB_STATUS", '"/status/replicas"',
      ".flags = LW_KIND_GENERATION | LW_KIND_CONDITIONAL"]),
    ("selectable fields", "kind A\n  @resource as cluster verbs=get\n  @select b.c fallback=0\n"
     "  @select d path=/e/0/c else=/b/c\n  b 1 B\n  e 2 [B]\nstruct B\n  c 1 string\n",
     ['{ LW_STR_INIT("b.c"), NULL, NULL, "0" }', '{ LW_STR_INIT("d"), "/e/0/c", "/b/c", NULL }']),
    ("columns without code", "kind A\n  @resource as cluster verbs=get\n  @column Name\n"
     "  @column B string /b string-or-none wide -- What it is.\n  @column Age\n  b 1 string\n",
     ["LW_TABLE_COLUMN_NAME,", 'LW_COLUMN("B", "string", 1, "/b", lw_table_cell_string_or_none, '
      '"What it is."),', "LW_TABLE_COLUMN_AGE,", ".columns = columns_as"]),
    ("a kind that is stored as another one",
     "kind A\n  @resource as cluster verbs=get storage=b/as\n  c 1 string\nkind B\n"
     "  @resource bs cluster verbs=get\n  @convert a.A other\n  @select d path=/c\n  d 1 string\n",
     [".stored_as = &lw_kind_as", ".conversion = &lw_conversion_other", '"/c"',
      '.plural = LW_STR_INIT("bs"),\n    .singular = LW_STR_INIT("b"),\n'
      '    .storage = LW_STR_INIT("b/as")']),
    ("members of an object in which nothing is set",
     "kind A\n  @resource as cluster verbs=watch\n  b 1 B\n  c 2 B?\n  d 3 [B] required\n"
     "  e 4 time\n  f 5 string\nstruct B\n  g 1 int32 always\n",
     [r'LW_STR_INIT(",\"b\":{\"g\":0},\"d\":null,\"e\":null")']),
    ("an atomic struct, and one of several forms", "struct A atomic\neither B\n  c 1 bool\n",
     [".is_atomic = true", "LW_TYPE_EITHER"]),
]

# (what, lines behind HEAD, the line that is named, a word of the message)
BAD = [
    ("an unknown type", "struct A\n  b 1 strin\n", 3, "no such type: strin"),
    ("an unknown type in a list", "struct A\n  b 1 [B]\n", 3, "no such type: B"),
    ("an unknown flag", "struct A\n  b 1 string requried\n", 3, "no such flag: requried"),
    ("a list type without its keys", "struct A\n  b 1 [A] list=map\n", 3, "no such flag"),
    ("a key that the elements lack", "struct A\n  b 1 [A] list=map:c\n", 3, "c is no field"),
    ("a merge key that the elements lack", "struct A\n  b 1 [string] patch=merge:c\n", 3, "c is no"),
    ("the type of a list for what is none", "struct A\n  b 1 string list=set\n", 3, "is no list"),
    ("a scalar that is atomic", "struct A\n  b 1 string atomic\n", 3, "neither map nor struct"),
    ("a number twice", "struct A\n  b 1 string\n  c 1 string\n", 4, "number 1 is that of b"),
    ("a number that is too large", "struct A\n  b 65536 string\n", 3, "beyond"),
    ("a field twice", "struct A\n  b 1 string\n  b 2 string\n", 4, "b is there twice"),
    ("a field that is inline too", "struct A\n  c 2 bool\n  inline 1 B\nstruct B\n  c 1 bool\n", 4,
     "c is there twice"),
    ("a field that is inline twice", "struct A\n  c 1 bool\n  inline 2 B\nstruct B\n  inline 1 C\n"
     "struct C\n  c 1 bool\n", 6, "c is there twice"),
    ("something inline that is no struct", "struct A\n  inline 1 string\n", 3, "is no struct"),
    ("a struct twice", "struct A\nstruct B\nstruct A\n", 4, "A is there already"),
    ("a field without a struct", "  b 1 string\n", 2, "without a struct"),
    ("a field without a number", "struct A\n  b string\n", 3, "expected: NAME NUMBER"),
    ("a line that is nothing", "sturct A\n", 2, "expected package first"),
    ("a resource of a struct", "struct A\n  @resource as cluster\n", 3, "belongs to a kind"),
    ("a resource after the fields", "kind A\n  b 1 bool\n  @resource as cluster\n", 4,
     "goes before the fields"),
    ("a resource without a scope", "kind A\n  @resource as\n", 3, "cluster|namespaced"),
    ("two resources of one kind", "kind A\n  @resource as cluster verbs=get\n  @resource b cluster\n",
     4, "A has a resource already"),
    ("two resources of one name", "kind A\n  @resource as cluster verbs=get\nkind B\n"
     "  @resource as cluster verbs=get\n", 5, "add symbol=NAME"),
    ("rules of a kind that is not served", "kind A\n  @writes generation\n", 3, "after @resource"),
    ("a list that has no name", "kind A\n  @resource as cluster\n", 3, "name its list"),
    ("an unknown option of a resource", "kind A\n  @resource as cluster shorts=a\n", 3,
     "no such option: shorts"),
    ("an unknown verb", "kind A\n  @resource as cluster verbs=fetch\n", 3, "no such verb: fetch"),
    ("an unknown subresource", "kind A\n  @resource as cluster verbs=get\n  @subresources chat\n", 4,
     "no such subresource: chat"),
    ("an unknown rule of writes", "kind A\n  @resource as cluster verbs=get\n  @writes never\n", 4,
     "no such rule of writes: never"),
    ("an unknown @ line", "kind A\n  @resource as cluster verbs=get\n  @scope all\n", 4,
     "no such line: @scope"),
    ("a selectable field that does not exist", "kind A\n  @resource as cluster verbs=get\n"
     "  @select b.c\n  b 1 string\n", 4, "A has no field /b/c"),
    ("a column that does not exist", "kind A\n  @resource as cluster verbs=get\n"
     "  @column C integer /c -- Text.\n  b 1 string\n", 4, "A has no field /c"),
    ("a column without a description", "kind A\n  @resource as cluster verbs=get\n"
     "  @column B string /b\n  b 1 string\n", 4, "needs a description"),
    ("an unknown cell", "kind A\n  @resource as cluster verbs=get\n"
     "  @column B string /b upper -- Text.\n  b 1 string\n", 4, "no such cell: upper"),
    ("a stored kind that does not exist",
     "kind A\n  @resource as cluster verbs=get\n  @convert a.B other\n", 4, "a.B is not a kind"),
    ("a stored kind of another scope", "kind A\n  @resource as cluster verbs=get\n"
     "  @convert a.B other\nkind B\n  @resource bs namespaced verbs=get\n", 4, "the same scope"),
    ("a storage location of its own of a converted kind",
     "kind A\n  @resource as cluster verbs=get storage=x\n  @convert a.B other\n", 4,
     "those of the stored kind"),
    ("a selectable field that the stored kind lacks",
     "kind A\n  @resource as cluster verbs=get\nkind B\n  @resource bs cluster verbs=get\n"
     "  @convert a.A other\n  @select d\n  d 1 string\n", 7, "A has no field /d"),
    ("a package that is another one elsewhere", None, 1, "another one elsewhere"),
]


def compile_fields(text, folder, options=("--output",)):
    """(exit code, what it said, the tables of types and of kinds)"""
    other, file, table = folder / "meta.fields", folder / "a.fields", folder / "table.c"
    kinds, texts = folder / "kinds.c", folder / "texts.c"
    other.write_text(META)
    file.write_text(text)
    table.unlink(missing_ok=True)
    words = [*options, table, "--kinds", kinds, "--texts", texts] if options == ("--output",) else [*options]
    done = subprocess.run([sys.executable, "-B", ROOT / "tools" / "fields.py", *words, other, file],
                          capture_output=True, text=True)
    said = (done.stdout + done.stderr).replace(str(folder) + "/", "")
    made = "".join(file.read_text() for file in (table, kinds, texts)) if table.exists() else ""
    return done.returncode, said, made


def bad_descriptions():
    """Descriptions that kubectl explain would show badly: each is one or more short sentences."""
    for file in sorted((ROOT / "src" / "schema" / "fields").glob("*.fields")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            code, mark, text = line.partition(" -- ")
            words = code.split()
            if not words or words[0][0] in "#@" or words[0] in ("package", "inline"):
                continue
            starts_well = text[:1].isupper() or text[:1].isdigit()
            if not mark or not starts_well or not text.endswith(".") or len(text) > TEXT_MAX:
                yield f"{file.name}:{number}: {text}"


def main():
    tap = Tap()
    bad = list(bad_descriptions())
    tap.report(not bad, "descriptions start with a capital letter, end with a period and are short",
               bad)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name, lines, wanted in GOOD:
            code, said, table = compile_fields(HEAD + lines, folder)
            lost = [words for words in wanted if words not in table]
            tap.report(code == 0 and not lost, name, [said, "not in the table:", *lost, table])
        for name, lines, line, words in BAD:
            text = HEAD + lines if lines else "package meta proto=k8s.io.b.v1 api=v1\n"
            code, said, table = compile_fields(text, folder)
            is_named = said.startswith(f"a.fields:{line}: ") and words in said
            tap.report(code == 1 and is_named and not table, "names " + name, [said])
        code, said, _ = compile_fields(HEAD + "struct A\n  b 1 bool\n  c 2 bool -- x\n", folder,
                                       ("--missing",))
        tap.report(code == 0 and "a: 1 types, 2 fields, 1 without a description" in said,
                   "counts the descriptions that are missing", [said])
    return tap.finish()


sys.exit(main())
