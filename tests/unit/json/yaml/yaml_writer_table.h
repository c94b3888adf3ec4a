/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_writer_table.h -- JSON and what go.yaml.in/yaml 2.4.2, which sigs.k8s.io/yaml writes with,
 * makes of it.  To add a row, ask that library, not the code under test. */
#ifndef LW_TESTS_UNIT_JSON_YAML_WRITER_TABLE_H
#define LW_TESTS_UNIT_JSON_YAML_WRITER_TABLE_H

typedef struct yaml_writer_row {
    const char *json;
    const char *yaml;
} yaml_writer_row;

static const yaml_writer_row yaml_writer_table[] = {
    { "null", "null\n" },
    { "true", "true\n" },
    { "1", "1\n" },
    { "\"text\"", "text\n" },
    { "\"\"", "\"\"\n" },
    { "{}", "{}\n" },
    { "[]", "[]\n" },
    { "{\"a\":{},\"b\":[],\"c\":null}", "a: {}\n"
                                        "b: []\n"
                                        "c: null\n" },
    { "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"web-0\",\"labels\":{"
      "\"app\":\"web\"}},\"spec\":{\"containers\":[{\"name\":\"web\",\"args\":[\"-c\",\"x: "
      "y\"],\"ports\":[{\"containerPort\":80}]}]}}",
      "apiVersion: v1\n"
      "kind: Pod\n"
      "metadata:\n"
      "  name: web-0\n"
      "  labels:\n"
      "    app: web\n"
      "spec:\n"
      "  containers:\n"
      "  - name: web\n"
      "    args:\n"
      "    - -c\n"
      "    - 'x: y'\n"
      "    ports:\n"
      "    - containerPort: 80\n" },
    { "[[1,2],[[3]],[],{}]", "- - 1\n"
                             "  - 2\n"
                             "- - - 3\n"
                             "- []\n"
                             "- {}\n" },
    { "[{\"a\":1,\"b\":[{\"c\":2}]},{\"d\":[[]]}]", "- a: 1\n"
                                                    "  b:\n"
                                                    "  - c: 2\n"
                                                    "- d:\n"
                                                    "  - []\n" },
    { "{\"a\":\"true\",\"b\":\"123\",\"c\":\"\",\"d\":\"null\",\"e\":\"~\",\"f\":\"1e3\",\"g\":"
      "\"0777\",\"h\":\"2001-01-01\",\"i\":\"y\",\"j\":\"no\",\"k\":\"on\",\"l\":\"1:30\",\"m\":"
      "\"0x1F\",\".\":\".5\"}",
      "a: \"true\"\n"
      "b: \"123\"\n"
      "c: \"\"\n"
      "d: \"null\"\n"
      "e: \"~\"\n"
      "f: \"1e3\"\n"
      "g: \"0777\"\n"
      "h: \"2001-01-01\"\n"
      "i: \"y\"\n"
      "j: \"no\"\n"
      "k: \"on\"\n"
      "l: \"1:30\"\n"
      "m: \"0x1F\"\n"
      ".: \".5\"\n" },
    { "{\"true\":1,\"123\":2,\"\":3,\"null\":4,\"y\":5,\"2001-01-01\":6}", "\"true\": 1\n"
                                                                           "\"123\": 2\n"
                                                                           "\"\": 3\n"
                                                                           "\"null\": 4\n"
                                                                           "\"y\": 5\n"
                                                                           "\"2001-01-01\": 6\n" },
    { "[\"a: b\",\"a #b\",\"- a\",\"-a\",\"?\",\"? "
      "a\",\"#a\",\"[a\",\"a[\",\"{a\",\"&a\",\"*a\",\"!a\",\"|a\",\">a\",\"'a\",\"a'b\",\"\\\"a\","
      "\"a\\\"b\",\"%a\",\"@a\",\"`a\",\":a\",\"a:\",\"a:b\",\",a\",\"---\",\"--- a\",\"...\",\" "
      "a\",\"a \",\"it's\",\"=\",\"<<\",\"<\"]",
      "- 'a: b'\n"
      "- 'a #b'\n"
      "- '- a'\n"
      "- -a\n"
      "- '?'\n"
      "- '? a'\n"
      "- '#a'\n"
      "- '[a'\n"
      "- a[\n"
      "- '{a'\n"
      "- '&a'\n"
      "- '*a'\n"
      "- '!a'\n"
      "- '|a'\n"
      "- '>a'\n"
      "- '''a'\n"
      "- a'b\n"
      "- '\"a'\n"
      "- a\"b\n"
      "- '%a'\n"
      "- '@a'\n"
      "- '`a'\n"
      "- :a\n"
      "- 'a:'\n"
      "- a:b\n"
      "- ',a'\n"
      "- '---'\n"
      "- '--- a'\n"
      "- '...'\n"
      "- ' a'\n"
      "- 'a '\n"
      "- it's\n"
      "- =\n"
      "- <<\n"
      "- <\n" },
    { "[\"a\\nb\",\"a\\nb\\n\",\"a\\nb\\n\\n\",\"\\na\",\"\\n\",\"\\n\\n\",\" a\\nb\",\"a\\n "
      "b\",\"a \\nb\",\"a\\n\\nb\",\"a\\tb\\nc\",\"a\\r\\nb\",\"a\\n---\\nb\",\"# a\\nb\",\"a\\nb "
      "\"]",
      "- |-\n"
      "  a\n"
      "  b\n"
      "- |\n"
      "  a\n"
      "  b\n"
      "- |+\n"
      "  a\n"
      "  b\n"
      "\n"
      "- |2-\n"
      "\n"
      "  a\n"
      "- |2+\n"
      "\n"
      "- |2+\n"
      "\n"
      "\n"
      "- |2-\n"
      "   a\n"
      "  b\n"
      "- |-\n"
      "  a\n"
      "   b\n"
      "- \"a \\nb\"\n"
      "- |-\n"
      "  a\n"
      "\n"
      "  b\n"
      "- \"a\\tb\\nc\"\n"
      "- \"a\\r\\nb\"\n"
      "- |-\n"
      "  a\n"
      "  ---\n"
      "  b\n"
      "- |-\n"
      "  # a\n"
      "  b\n"
      "- \"a\\nb \"\n" },
    { "[\"\\u0000\",\"\\u0007\\b\\u001b\",\"\\t\",\"a\\tb\",\"\\r\",\"\\u007f\",\"\\u0085\","
      "\"\\u00a0\",\"\xC3\xA9\",\"\xE6\x97\xA5\xE6\x9C\xAC\",\"\xF0\x9F\x98\x80\",\"\\ufffd\","
      "\"\\\\\",\"a\\\\b\"]",
      "- \"\\0\"\n"
      "- \"\\a\\b\\e\"\n"
      "- \"\\t\"\n"
      "- \"a\\tb\"\n"
      "- \"\\r\"\n"
      "- \"\\x7F\"\n"
      "- \"\\N\"\n"
      "- \xC2\xA0\n"
      "- \xC3\xA9\n"
      "- \xE6\x97\xA5\xE6\x9C\xAC\n"
      "- \"\\U0001F600\"\n"
      "- \xEF\xBF\xBD\n"
      "- \\\n"
      "- a\\b\n" },
    { "{\"a\\nb\":1,\"? \":2,\" \":3,\"a: b\":4,\"-\":5,\"#\":6}", "? |-\n"
                                                                   "  a\n"
                                                                   "  b\n"
                                                                   ": 1\n"
                                                                   "'? ': 2\n"
                                                                   "' ': 3\n"
                                                                   "'a: b': 4\n"
                                                                   "'-': 5\n"
                                                                   "'#': 6\n" },
    { "{\"k1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678"
      "901234567890123456789012345678901234567\":1,"
      "\"k12345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
      "012345678901234567890123456789012345678\":2}",
      "k1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901"
      "234567890123456789012345678901234567: 1\n"
      "? "
      "k1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901"
      "2345678901234567890123456789012345678\n"
      ": 2\n" },
    { "{\"message\":\"a long line of text that goes on and on past the eighty columns that a "
      "terminal has, and is folded\",\"quoted\":\"a long line: of text that goes on and on past "
      "the eighty columns that a terminal has, and is folded\",\"double\":\"a long line\\tof text "
      "that goes on and on past the eighty columns that a terminal has, and is folded\"}",
      "message: a long line of text that goes on and on past the eighty columns that a terminal\n"
      "  has, and is folded\n"
      "quoted: 'a long line: of text that goes on and on past the eighty columns that a terminal\n"
      "  has, and is folded'\n"
      "double: \"a long line\\tof text that goes on and on past the eighty columns that a "
      "terminal\n"
      "  has, and is folded\"\n" },
    { "[\"averyveryveryveryveryveryveryveryveryveryveryveryverylongwordthathasnospaceswheretofoldit"
      "\"]",
      "- "
      "averyveryveryveryveryveryveryveryveryveryveryveryverylongwordthathasnospaceswheretofoldit"
      "\n" },
    { "[0,-0,1.0,-1.5,1e3,1000000.0,123456.75,1234567.75,1e21,1e-5,0.0001,9223372036854775807,-"
      "9223372036854775808,18446744073709551615,18446744073709551616,0.1,1e300]",
      "- 0\n"
      "- 0\n"
      "- 1\n"
      "- -1.5\n"
      "- 1000\n"
      "- 1e+06\n"
      "- 123456.75\n"
      "- 1.23456775e+06\n"
      "- 1e+21\n"
      "- 1e-05\n"
      "- 0.0001\n"
      "- 9223372036854775807\n"
      "- -9223372036854775808\n"
      "- 18446744073709551615\n"
      "- 1.8446744073709552e+19\n"
      "- 0.1\n"
      "- 1e+300\n" },
    { "{\"data\":{\"script\":\"#!/bin/sh\\nset -e\\n\\nif true; then\\n  echo "
      "hi\\nfi\\n\",\"json\":\"{\\\"a\\\": 1}\"}}",
      "data:\n"
      "  script: |\n"
      "    #!/bin/sh\n"
      "    set -e\n"
      "\n"
      "    if true; then\n"
      "      echo hi\n"
      "    fi\n"
      "  json: '{\"a\": 1}'\n" },
};

#endif
