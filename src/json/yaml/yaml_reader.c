/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_reader.c -- reads a stream of documents, each JSON or YAML.
 *
 * The text is split into slices at the lines that start a document ("---") or end one ("..."): no
 * scalar, quoted or not, can contain such a line.  A slice that starts with '{' is read as a
 * sequence of JSON documents, because YAML supports neither "\/" nor surrogate pairs.  Where that
 * fails, and in any other slice, the text is YAML.
 *
 *   between slices --open_slice--> JSON --not JSON--> YAML --its end--> between slices */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "json/simd.h"
#include "json/yaml/yaml.h"
#include "json/yaml/yaml_parser.h"

/* The bytes with which the line breaks of YAML 1.1 begin. */
static const char break_bytes[] = { '\n', '\r', '\xC2', '\xE2' };

enum {
    BREAK_BYTES = sizeof(break_bytes),
};

/* A part of the text that begins with none of one of these bytes, up to one at |end|. */
typedef struct breakless {
    size_t begin, end;
} breakless;

struct lw_yaml_reader {
    lw_str text;
    size_t at;              /* everything before it was read, or was passed to the parser */
    size_t slice_end;       /* end of the current slice; |at| if there is none */
    bool is_json;           /* the last document was JSON, and |at| is after it */
    lw_yaml_parser *parser; /* NULL: not in YAML */
    size_t parser_at;       /* where its text starts */
    bool is_started;
    lw_buf *duplicates;              /* borrowed; NULL: not requested */
    lw_budget *budget;               /* borrowed; NULL: no limit */
    breakless searched[BREAK_BYTES]; /* the last searches for each byte */
    lw_error failure;                /* the first failure, which is returned from then on */
};

lw_status lw_yaml_reader_new(lw_yaml_reader **out, lw_str text)
{
    lw_yaml_reader *r = lw_alloc_zero(1, sizeof(*r));
    if (!r)
        return LW_ERR_NOMEM;
    r->text = text;
    *out = r;
    return LW_OK;
}

void lw_yaml_reader_free(lw_yaml_reader *r)
{
    if (!r)
        return;
    lw_yaml_parser_free(r->parser);
    lw_free(r);
}

void lw_yaml_reader_report_duplicates(lw_yaml_reader *r, lw_buf *out)
{
    r->duplicates = out;
}

void lw_yaml_reader_set_budget(lw_yaml_reader *r, lw_budget *budget)
{
    r->budget = budget;
}

/* Computes line and column, from 1, in characters, as editors do. */
static void position_of(lw_str text, size_t offset, size_t *line, size_t *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < offset && i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        bool is_crlf = c == '\r' && i + 1 < text.len && text.ptr[i + 1] == '\n';
        if (c == '\n' || (c == '\r' && !is_crlf)) {
            ++*line;
            *column = 1;
        } else if ((c & 0xC0) != 0x80) {
            ++*column;
        }
    }
}

/* Stores the failure |found|, whose offset is relative to |base|, and returns its status. */
static lw_status reader_fail(lw_yaml_reader *r, const lw_error *found, size_t base)
{
    r->failure = *found;
    if (found->offset == LW_NO_OFFSET)
        return found->code;
    size_t line, column;
    size_t offset = base + (size_t)found->offset;
    position_of(r->text, offset, &line, &column);
    return lw_error_set_at(&r->failure, found->code, offset, "line %zu, column %zu: %s", line,
                           column, found->message);
}

static lw_status reader_fail_at(lw_yaml_reader *r, size_t offset, const char *message)
{
    lw_error found;
    (void)lw_error_set_at(&found, LW_ERR_SYNTAX, offset, "%s", message);
    return reader_fail(r, &found, 0);
}

static lw_str rest_of(const lw_yaml_reader *r, size_t at)
{
    return lw_str_skip(r->text, at);
}

/* Returns the length of the line break of YAML 1.1 at the start of |s|; 0: there is none. */
static size_t break_length(lw_str s)
{
    unsigned char first = s.len > 0 ? (unsigned char)s.ptr[0] : 0;
    if (first != '\n' && first != '\r' && first != 0xC2 && first != 0xE2)
        return 0;
    if (lw_str_starts_with(s, LW_STR("\r\n")))
        return 2;
    if (first == '\n' || first == '\r')
        return 1;
    if (lw_str_starts_with(s, LW_STR("\xC2\x85")))
        return 2;
    return lw_str_starts_with(s, LW_STR("\xE2\x80\xA8")) ||
                   lw_str_starts_with(s, LW_STR("\xE2\x80\xA9"))
               ? 3
               : 0;
}

/* Returns true if the line |s| starts with the document marker |marker|. */
static bool is_marker(lw_str s, lw_str marker)
{
    if (!lw_str_starts_with(s, marker))
        return false;
    s = lw_str_skip(s, marker.len);
    return s.len == 0 || s.ptr[0] == ' ' || s.ptr[0] == '\t' || break_length(s) > 0;
}

/* Returns the first of |byte| from |at| on, or the end of the text. */
static size_t find_byte(lw_str text, size_t at, char byte)
{
    const char *found = at < text.len ? memchr(text.ptr + at, byte, text.len - at) : NULL;
    return found ? (size_t)(found - text.ptr) : text.len;
}

/* Returns the first byte from |at| on that may begin a line break, or the end of the text.  Bytes
 * that are rare are searched once, not again for each line. */
static size_t find_break(lw_yaml_reader *r, size_t at)
{
    size_t first = r->text.len;
    for (size_t i = 0; i < BREAK_BYTES; i++) {
        breakless *s = &r->searched[i];
        if (at < s->begin || at > s->end || s->end == 0)
            *s = (breakless){ at, find_byte(r->text, at, break_bytes[i]) };
        if (s->end < first)
            first = s->end;
    }
    return first;
}

/* Returns the start of the line after the one that contains |at|. */
static size_t next_line(lw_yaml_reader *r, size_t at)
{
    while ((at = find_break(r, at)) < r->text.len) {
        size_t len = break_length(rest_of(r, at));
        if (len > 0)
            return at + len;
        at++;
    }
    return at;
}

/* Skips blanks, line breaks, comments and "..." from |at| on, which is the start of a line if
 * |*line| is |at|; sets |*line| to the start of the line where it stops. */
static size_t skip_blank(lw_yaml_reader *r, size_t at, size_t *line)
{
    while (at < r->text.len) {
        lw_str rest = rest_of(r, at);
        size_t len = break_length(rest);
        bool is_end = at == *line && is_marker(rest, LW_STR("..."));
        if (rest.ptr[0] == '#' || is_end)
            at = *line = next_line(r, at);
        else if (len > 0)
            at = *line = at + len;
        else if (rest.ptr[0] == ' ' || rest.ptr[0] == '\t')
            at++;
        else
            break;
    }
    return at;
}

static bool is_blank_line(lw_str s)
{
    while (s.len > 0 && (s.ptr[0] == ' ' || s.ptr[0] == '\t'))
        s = lw_str_skip(s, 1);
    return s.len == 0 || s.ptr[0] == '#' || break_length(s) > 0;
}

/* Returns the end of the slice whose first line that is not blank starts at |line|: before the next
 * "---", or after the next "...". Directives ("%YAML") belong to the following "---". */
static size_t find_slice_end(lw_yaml_reader *r, size_t line)
{
    bool is_prologue = true;
    while (line < r->text.len) {
        lw_str rest = rest_of(r, line);
        bool is_start = is_marker(rest, LW_STR("---"));
        if (is_start && !is_prologue)
            return line;
        size_t next = next_line(r, line);
        if (is_marker(rest, LW_STR("...")))
            return next;
        if (is_start || (rest.ptr[0] != '%' && !is_blank_line(rest)))
            is_prologue = false;
        line = next;
    }
    return line;
}

/* Returns true if the brackets of the JSON object at |at| are closed before the end of the slice.
 */
static bool is_closed(const lw_yaml_reader *r, size_t at)
{
    size_t depth = 0;
    bool in_string = false;
    for (; at < r->slice_end; at++) {
        char c = r->text.ptr[at];
        if (in_string) {
            if (c == '\\')
                at++;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            return true;
        }
    }
    return false;
}

/* Reads the object at |at| as JSON. LW_OK with |*out| NULL: it is not JSON. */
static lw_status read_json(lw_yaml_reader *r, size_t at, size_t limit, lw_tree **out)
{
    const char *begin = r->text.ptr + at;
    *out = NULL;
    /* If it is JSON, it ends here. */
    const char *end = lw_simd_best()->skip_container(begin, r->text.ptr + r->slice_end);
    lw_error found = LW_ERROR_INIT;
    lw_str json = lw_str_make(begin, (size_t)(end - begin));
    lw_status st = lw_tree_parse_within(out, json, limit, r->budget, &found);
    /* The end of what is nested too deeply is not known: it may be YAML. */
    if (st == LW_ERR_SYNTAX || (st == LW_ERR_LIMIT && !is_closed(r, at)))
        return LW_OK;
    if (st < 0)
        return reader_fail(r, &found, at);
    r->is_json = true;
    r->at = at + json.len;
    return LW_OK;
}

/* Passes the rest of the slice, from |at| on, to the YAML parser. */
static lw_status open_parser(lw_yaml_reader *r, size_t at)
{
    lw_str text = lw_str_make(r->text.ptr + at, r->slice_end - at);
    if (lw_yaml_parser_new(&r->parser, text) < 0)
        return lw_error_nomem(&r->failure);
    lw_yaml_parser_set_budget(r->parser, r->budget);
    if (r->duplicates) {
        size_t line, column;
        position_of(r->text, at, &line, &column);
        lw_yaml_parser_report_duplicates(r->parser, r->duplicates, line - 1);
    }
    r->parser_at = at;
    r->at = r->slice_end;
    r->is_json = false;
    return LW_OK;
}

/* Starts the next slice, or continues in a slice of JSON; |*out| is the document if it is JSON;
 * |*is_end|: there are no more documents. */
static lw_status open_next(lw_yaml_reader *r, size_t limit, lw_tree **out, bool *is_end)
{
    size_t line = r->is_json ? SIZE_MAX : r->at; /* after JSON, it is not the start of a line */
    size_t at = skip_blank(r, r->at, &line);
    if (at >= r->slice_end) {
        r->is_json = false;
        r->slice_end = at < r->text.len ? find_slice_end(r, line) : at;
    }
    *is_end = at >= r->text.len;
    if (*is_end)
        return LW_OK;
    size_t from = r->is_json ? at : line;
    if (!r->is_json && is_marker(rest_of(r, at), LW_STR("---")))
        at = skip_blank(r, at + 3, &line);
    if (at < r->slice_end && r->text.ptr[at] == '{') {
        lw_status st = read_json(r, at, limit, out);
        if (st < 0 || *out)
            return st;
    } else if (r->is_json) {
        return reader_fail_at(r, at, "did not find expected <document start>");
    }
    return open_parser(r, from);
}

static lw_status read_yaml(lw_yaml_reader *r, size_t limit, lw_tree **out)
{
    lw_error found = LW_ERROR_INIT;
    lw_status st = lw_yaml_parser_next(r->parser, limit, out, &found);
    if (st < 0)
        return reader_fail(r, &found, r->parser_at);
    if (!*out) {
        lw_yaml_parser_free(r->parser);
        r->parser = NULL;
    }
    return LW_OK;
}

/* Skips a UTF-8 byte order mark, and rejects those of other encodings. */
static lw_status start(lw_yaml_reader *r)
{
    r->is_started = true;
    if (lw_str_starts_with(r->text, LW_STR("\xFF\xFE")) ||
        lw_str_starts_with(r->text, LW_STR("\xFE\xFF")))
        return reader_fail_at(r, 0, "the text is UTF-16 or UTF-32; only UTF-8 is supported");
    if (lw_str_starts_with(r->text, LW_STR("\xEF\xBB\xBF")))
        r->at = r->slice_end = 3;
    return LW_OK;
}

lw_status lw_yaml_reader_next(lw_yaml_reader *r, size_t limit, lw_tree **out, lw_error *err)
{
    lw_status st = r->failure.code;
    lw_tree *tree = NULL;
    bool is_end = false;
    if (st == LW_OK && !r->is_started)
        st = start(r);
    while (st == LW_OK && !tree && !is_end) {
        if (r->parser)
            st = read_yaml(r, limit, &tree);
        else
            st = open_next(r, limit, &tree, &is_end);
    }
    if (st < 0) {
        if (err)
            *err = r->failure;
        return st;
    }
    *out = tree;
    return LW_OK;
}
