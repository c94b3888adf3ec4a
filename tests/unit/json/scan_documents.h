/* SPDX-License-Identifier: Apache-2.0 */
/* scan_documents.h -- malformed documents with the position of the error, and unusual ones that are
 * valid. In the texts ` means ", so that they are readable. */
#ifndef LW_TESTS_UNIT_JSON_SCAN_DOCUMENTS_H
#define LW_TESTS_UNIT_JSON_SCAN_DOCUMENTS_H

#include <stdbool.h>
#include <stddef.h>

/* Words of the message that goes with a kind of fault. */
#define TOKEN     "unexpected"
#define WORD      "invalid literal"
#define ESCAPE    "invalid escape"
#define HEX       "hexadecimal"
#define CONTROL   "control character"
#define UTF8      "UTF-8"
#define IN_STRING "ends inside a string"
#define IN_WORD   "ends inside a number or word"
#define EARLY     "unexpected end"
#define EMPTY     "is empty"

typedef struct scan_document {
    const char *bytes;
    size_t len;
    size_t at;         /* byte at fault */
    const char *fault; /* words of the message, or NULL when valid */
    bool is_local;     /* the position if it is inside an array */
} scan_document;

#define ROOT(text, at, fault)                                                                      \
    {                                                                                              \
        text, sizeof(text) - 1, at, fault, false                                                   \
    }
#define BAD(text, at, fault)                                                                       \
    {                                                                                              \
        text, sizeof(text) - 1, at, fault, true                                                    \
    }
#define GOOD(text)                                                                                 \
    {                                                                                              \
        text, sizeof(text) - 1, 0, NULL, true                                                      \
    }

/* clang-format off */
static const scan_document malformed[] = {
    /* separators */
    BAD("[1,]", 3, TOKEN), BAD("[,1]", 1, TOKEN), BAD("[1,,2]", 3, TOKEN), BAD("[,]", 1, TOKEN),
    BAD("[1 2]", 3, TOKEN), BAD("[`a` `b`]", 5, TOKEN), BAD("[`a``b`]", 4, TOKEN),
    BAD("[1:2]", 2, TOKEN), BAD("[:]", 1, TOKEN), BAD("[`a`:1]", 4, TOKEN), BAD("[1;2]", 2, WORD),
    BAD("{`a`:1,}", 7, TOKEN), BAD("{,}", 1, TOKEN), BAD("{,`a`:1}", 1, TOKEN),
    BAD("{`a`:1,,`b`:2}", 7, TOKEN), BAD("{`a`:1 `b`:2}", 7, TOKEN), BAD("{`a`:1`b`:2}", 6, TOKEN),
    BAD("{`a`}", 4, TOKEN), BAD("{`a`,`b`}", 4, TOKEN), BAD("{`a` `b`}", 5, TOKEN),
    BAD("{`a` 1}", 5, TOKEN), BAD("{`a`1}", 4, TOKEN), BAD("{`a`::1}", 5, TOKEN),
    BAD("{`a`:}", 5, TOKEN), BAD("{`a`:,`b`:1}", 5, TOKEN), BAD("{:1}", 1, TOKEN),
    BAD("{`a`:1:2}", 6, TOKEN), BAD("{`a`=1}", 4, TOKEN), BAD("{`a`:`b`:`c`}", 8, TOKEN),
    BAD("{`a`:{}`b`:1}", 7, TOKEN), BAD("[{}{}]", 3, TOKEN), BAD("[[][]]", 3, TOKEN),
    BAD("[{},]", 4, TOKEN), BAD("{`a`:[],}", 8, TOKEN), BAD("[`a`,]", 5, TOKEN),
    ROOT(",", 0, TOKEN), ROOT(":", 0, TOKEN), ROOT("1,", 1, TOKEN), ROOT("`a`:1", 3, TOKEN),
    /* keys */
    BAD("{1:2}", 1, TOKEN), BAD("{null:1}", 1, TOKEN), BAD("{a:1}", 1, TOKEN),
    BAD("{{}:1}", 1, TOKEN), BAD("{[]:1}", 1, TOKEN), BAD("{'a':1}", 1, TOKEN),
    BAD("{`a`:1,2}", 7, TOKEN), BAD("{`a`:1,{}}", 7, TOKEN),
    /* brackets */
    BAD("[}", 1, TOKEN), BAD("{]", 1, TOKEN), BAD("[1}", 2, TOKEN), BAD("{`a`:1]", 6, TOKEN),
    BAD("[{]}", 2, TOKEN), BAD("{`a`:[}", 6, TOKEN), BAD("[[1}]", 3, TOKEN),
    BAD("[[]}", 3, TOKEN), BAD("[{}}", 3, TOKEN), BAD("{`a`:{}]", 7, TOKEN),
    ROOT("]", 0, TOKEN), ROOT("}", 0, TOKEN), ROOT("[]]", 2, TOKEN), ROOT("{}}", 2, TOKEN),
    ROOT("[1]]", 3, TOKEN), ROOT("{`a`:1}}", 7, TOKEN), ROOT("[[]]]", 4, TOKEN),
    ROOT("[", 1, EARLY), ROOT("{", 1, EARLY), ROOT("[1", 2, EARLY), ROOT("[1,", 3, EARLY),
    ROOT("[[", 2, EARLY), ROOT("[[]", 3, EARLY), ROOT("[{}", 3, EARLY), ROOT("{`a`", 4, EARLY),
    ROOT("{`a`:", 5, EARLY), ROOT("{`a`:1", 6, EARLY), ROOT("{`a`:1,", 7, EARLY),
    ROOT("[\n", 2, EARLY), ROOT("[``", 3, EARLY), ROOT("{`a`:[]", 7, EARLY),
    /* more than one value, or none */
    ROOT("1 2", 2, TOKEN), ROOT("[][]", 2, TOKEN), ROOT("{}{}", 2, TOKEN), ROOT("``1", 2, TOKEN),
    ROOT("1``", 1, TOKEN), ROOT("null null", 5, TOKEN), ROOT("[]x", 2, TOKEN),
    ROOT("{} /* c */", 3, TOKEN), ROOT("", 0, EMPTY), ROOT(" \n", 2, EMPTY),
    /* numbers */
    BAD("[01]", 2, WORD), BAD("[00]", 2, WORD), BAD("[-01]", 3, WORD), BAD("[1.]", 3, WORD),
    BAD("[.5]", 1, WORD), BAD("[+1]", 1, WORD), BAD("[1e]", 3, WORD), BAD("[1e+]", 4, WORD),
    BAD("[1E-]", 4, WORD), BAD("[--1]", 2, WORD), BAD("[-]", 2, WORD), BAD("[-a]", 2, WORD),
    BAD("[1.e5]", 3, WORD), BAD("[1.2.3]", 4, WORD), BAD("[1e5.2]", 4, WORD), BAD("[1e1e1]", 4, WORD),
    BAD("[1+1]", 2, WORD), BAD("[1-1]", 2, WORD), BAD("[0x1F]", 2, WORD), BAD("[1_000]", 2, WORD),
    BAD("[1a]", 2, WORD), BAD("[-.5]", 2, WORD), BAD("[0e]", 3, WORD), BAD("[0.]", 3, WORD),
    BAD("[1e ]", 3, WORD), BAD("[- 1]", 2, WORD), BAD("[1. 5]", 3, WORD), BAD("[0.e1]", 3, WORD),
    BAD("[Infinity]", 1, WORD), BAD("[-Infinity]", 2, WORD), BAD("[NaN]", 1, WORD),
    BAD("[1\xC2\xA0]", 2, WORD), BAD("[\xEF\xBC\x91]", 1, WORD), BAD("[1f]", 2, WORD),
    ROOT("-", 1, IN_WORD), ROOT("1.", 2, IN_WORD), ROOT("1e", 2, IN_WORD), ROOT("1e-", 3, IN_WORD),
    ROOT("01", 1, WORD), ROOT("1 .5", 2, TOKEN),
    /* words */
    BAD("[tru]", 4, WORD), BAD("[nul]", 4, WORD), BAD("[fals]", 5, WORD), BAD("[truee]", 5, WORD),
    BAD("[nulll]", 5, WORD), BAD("[True]", 1, WORD), BAD("[TRUE]", 1, WORD), BAD("[t]", 2, WORD),
    BAD("[nil]", 2, WORD), BAD("[undefined]", 1, WORD), BAD("[true1]", 5, WORD),
    BAD("[truefalse]", 5, WORD), BAD("[tr ue]", 3, WORD), BAD("[null`a`]", 5, TOKEN),
    BAD("[f\0]", 2, WORD), BAD("[falsE]", 5, WORD), BAD("[nuLl]", 3, WORD),
    ROOT("tru", 3, IN_WORD), ROOT("n", 1, IN_WORD), ROOT("fals", 4, IN_WORD), ROOT("nulx", 3, WORD),
    /* quotes */
    BAD("['a']", 1, WORD), BAD("[a]", 1, WORD), BAD("[`a]", 4, IN_STRING), BAD("[a`]", 1, WORD),
    ROOT("`", 1, IN_STRING), ROOT("`abc", 4, IN_STRING), ROOT("`\\`", 3, IN_STRING),
    ROOT("`a\\", 3, IN_STRING), ROOT("`\\u", 3, IN_STRING), ROOT("`\\u12", 5, IN_STRING),
    ROOT("{`a", 3, IN_STRING), ROOT("[`\xC3", 3, IN_STRING), ROOT("[`\xF0\x9F\x98", 5, IN_STRING),
    /* escapes */
    BAD("[`\\x41`]", 3, ESCAPE), BAD("[`\\a`]", 3, ESCAPE), BAD("[`\\'`]", 3, ESCAPE),
    BAD("[`\\0`]", 3, ESCAPE), BAD("[`\\U0041`]", 3, ESCAPE), BAD("[`\\\n`]", 3, ESCAPE),
    BAD("[`\\ `]", 3, ESCAPE), BAD("[`\\\xC3\xA9`]", 3, ESCAPE), BAD("[`\\N`]", 3, ESCAPE),
    BAD("[`\\\0`]", 3, ESCAPE), BAD("[`\\\\\\v`]", 5, ESCAPE), BAD("{`\\z`:1}", 3, ESCAPE),
    BAD("[`\\u`]", 4, HEX), BAD("[`\\u12`]", 6, HEX), BAD("[`\\u123`]", 7, HEX),
    BAD("[`\\u12G4`]", 6, HEX), BAD("[`\\uzzzz`]", 4, HEX), BAD("[`\\u 041`]", 4, HEX),
    BAD("[`\\u00\\u0041`]", 6, HEX), BAD("[`\\u{41}`]", 4, HEX), BAD("[`\\u-041`]", 4, HEX),
    BAD("[`\\u004\xC3\xA9`]", 7, HEX), BAD("[`\\ud83d\\ude0`]", 13, HEX), BAD("{`\\u12`:1}", 6, HEX),
    BAD("[\\u0061]", 1, WORD), BAD("[\\`a`]", 1, WORD), BAD("{\\`a`:1}", 1, TOKEN),
    /* control characters */
    BAD("[`a\nb`]", 3, CONTROL), BAD("[`a\tb`]", 3, CONTROL), BAD("[`\0`]", 2, CONTROL),
    BAD("[`\x01`]", 2, CONTROL), BAD("[`\x1F`]", 2, CONTROL), BAD("[`a\r`]", 3, CONTROL),
    BAD("{`a\nb`:1}", 3, CONTROL), BAD("[\x01]", 1, WORD), BAD("[\0]", 1, WORD),
    BAD("[1\x0B,2]", 2, WORD), BAD("[1,\x0C" "2]", 3, WORD), BAD("[\x7F]", 1, WORD),
    BAD("[]\0", 2, TOKEN), BAD("[`a`\x1F]", 4, TOKEN), BAD("[true\0]", 5, WORD),
    ROOT("\0", 0, WORD), ROOT("1\0", 1, WORD),
    /* UTF-8 */
    BAD("[`\x80`]", 2, UTF8), BAD("[`\xBF`]", 2, UTF8), BAD("[`a\xBFz`]", 3, UTF8),
    BAD("[`\xC3`]", 3, UTF8), BAD("[`\xC3\xC3`]", 3, UTF8), BAD("[`\xC0\x80`]", 2, UTF8),
    BAD("[`\xC1\xBF`]", 2, UTF8), BAD("[`\xE0\x80\x80`]", 3, UTF8), BAD("[`\xE0\x9F\xBF`]", 3, UTF8),
    BAD("[`\xED\xA0\x80`]", 3, UTF8), BAD("[`\xED\xBF\xBF`]", 3, UTF8), BAD("[`\xE2\x82`]", 4, UTF8),
    BAD("[`\xE2\x82z`]", 4, UTF8), BAD("[`\xF0\x80\x80\x80`]", 3, UTF8),
    BAD("[`\xF0\x8F\xBF\xBF`]", 3, UTF8), BAD("[`\xF4\x90\x80\x80`]", 3, UTF8),
    BAD("[`\xF5\x80\x80\x80`]", 2, UTF8), BAD("[`\xF8\x88\x80\x80\x80`]", 2, UTF8),
    BAD("[`\xFF`]", 2, UTF8), BAD("[`\xFE`]", 2, UTF8), BAD("[`\xF0\x9F\x98`]", 5, UTF8),
    BAD("[`\xF0\x9F`]", 4, UTF8), BAD("[`\xF0`]", 3, UTF8), BAD("[`\xC3\\n`]", 3, UTF8),
    BAD("[`\xC3\xA9\xA9`]", 4, UTF8), BAD("{`\xC3`:1}", 3, UTF8), BAD("[`\xE9`]", 3, UTF8),
    BAD("[\xC3\xA9]", 1, WORD), BAD("[`a`\xE2\x80\xA8]", 4, TOKEN),
    ROOT("\xEF\xBB\xBF{}", 0, WORD), ROOT("\xEF\xBB\xBF", 0, WORD), ROOT("\xFF\xFE[\0]\0", 0, UTF8),
    ROOT("[]\xEF\xBB\xBF", 2, TOKEN), BAD("[\xEF\xBB\xBF]", 1, WORD),
    /* what other languages allow */
    BAD("[1/*c*/]", 2, WORD), BAD("[//c\n1]", 1, WORD), BAD("[#c\n1]", 1, WORD), BAD("[(1)]", 1, WORD),
    BAD("[`a`+`b`]", 4, TOKEN), BAD("[<a/>]", 1, WORD), BAD("[@]", 1, WORD), BAD("[$x]", 1, WORD),
    BAD("[1,...]", 3, WORD), BAD("[*]", 1, WORD),
};

static const scan_document oddities[] = {
    /* strings */
    GOOD("``"), GOOD("[`\\ud800`]"), GOOD("[`\\udc00\\ud800`]"), GOOD("[`\\udfff`]"),
    GOOD("[`\\ud800a\\u0041`]"), GOOD("[`\\u0000`]"), GOOD("[`\\uFFFF\\ufffe`]"),
    GOOD("[`\\ud83d\\ude00`]"), GOOD("[`\\`\\\\\\/\\b\\f\\n\\r\\t`]"), GOOD("[`\x7F`]"),
    GOOD("[`\xC2\x80\xDF\xBF`]"), GOOD("[`\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF`]"),
    GOOD("[`\xF0\x90\x80\x80\xF4\x8F\xBF\xBF`]"), GOOD("[`\xEF\xBB\xBF`]"),
    GOOD("[`\xE2\x80\xA8\xE2\x80\xA9`]"), GOOD("[`{[:,]}'/*`]"), GOOD("[`\\\\`,`\\\\\\``]"),
    GOOD("[`\\u00e9\\u00E9`]"), GOOD("[`\xC3\xA9\\n\xC3\xA9`]"),
    /* keys */
    GOOD("{``:``}"), GOOD("{``:{``:{``:[]}}}"), GOOD("{`a`:1,`a`:2,`a`:3}"), GOOD("{`\\u0000`:0}"),
    GOOD("{`\\\\`:1,`\\``:2,`{`:3}"), GOOD("{`\xF0\x9F\x98\x80`:1}"),
    /* numbers */
    GOOD("0"), GOOD("-0"), GOOD("1E-0"), GOOD("-0.0e-0"), GOOD("0E+0"), GOOD("1e400"),
    GOOD("-1e-400"), GOOD("[123456789012345678901234567890123456789012345678901234567890]"),
    GOOD("[0.000000000000000000000000000000000000000000000000000000000000000000000001]"),
    GOOD("[1e99999999999999999999999999]"), GOOD("[9223372036854775808,-9223372036854775809]"),
    GOOD("[18446744073709551616]"), GOOD("[0,0.0,-0,10,1.0E5,1e05,1e-05]"),
    /* words */
    GOOD("true"), GOOD("false"), GOOD("null"), GOOD("[true,false,null]"),
    /* containers and blanks */
    GOOD("[]"), GOOD("{}"), GOOD("[[],{},[[]],{`a`:{}}]"), GOOD(" \t\r\n1 \t\r\n"),
    GOOD("\r\n[\t1\n,\r2 ]\n"), GOOD("{ }"), GOOD("[\n]"), GOOD("{ `a`\t:\n1\r, `b` : [ ] }"),
    GOOD("[ [ ] , { } ]"), GOOD("[1 ,2]"), GOOD("{`a` :1}"), GOOD("{`a`: 1}"), GOOD("[`a` ]"),
    GOOD("[null ]"), GOOD("[1.5 , 2e3 ]"),
};
/* clang-format on */

enum {
    MALFORMED = sizeof(malformed) / sizeof(malformed[0]),
    ODDITIES = sizeof(oddities) / sizeof(oddities[0]),
};

#endif
