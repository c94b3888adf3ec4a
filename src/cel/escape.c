/* SPDX-License-Identifier: Apache-2.0 */
/* escape.c -- escapes member names that are not identifiers. */
#include "base/str.h"
#include "cel/cel.h"

bool lw_cel_is_reserved(lw_str name)
{
    static const char *const words[] = { "true",     "false",     "null",     "in",   "as",
                                         "break",    "const",     "continue", "else", "for",
                                         "function", "if",        "import",   "let",  "loop",
                                         "package",  "namespace", "return",   "var",  "void",
                                         "while" };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (lw_str_equal(name, lw_str_of(words[i])))
            return true;
    }
    return false;
}

/* Returns the escape for the character at |at|, and the length of the name that it replaces; NULL:
 * it cannot be escaped. */
static const char *escape_at(lw_str name, size_t at, size_t *len)
{
    char c = name.ptr[at];
    *len = 1;
    if (c == '_' && at + 1 < name.len && name.ptr[at + 1] == '_') {
        *len = 2;
        return "__underscores__";
    }
    switch (c) {
    case '.': return "__dot__";
    case '-': return "__dash__";
    case '/': return "__slash__";
    default: break;
    }
    bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || lw_char_is_digit(c) || c == '_';
    return is_plain ? "" : NULL;
}

bool lw_cel_escape(lw_str name, lw_buf *out)
{
    size_t begin = out->len;
    if (name.len == 0 || lw_char_is_digit(name.ptr[0]))
        return false;
    if (lw_cel_is_reserved(name)) {
        lw_buf_printf(out, "__%.*s__", LW_STR_ARG(name));
        return true;
    }
    for (size_t i = 0, len; i < name.len; i += len) {
        const char *escape = escape_at(name, i, &len);
        if (!escape) {
            lw_buf_truncate(out, begin);
            return false;
        }
        if (escape[0] != '\0')
            lw_buf_append_text(out, escape);
        else
            lw_buf_append_char(out, name.ptr[i]);
    }
    return true;
}
