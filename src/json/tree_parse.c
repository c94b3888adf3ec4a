/* SPDX-License-Identifier: Apache-2.0 */
/* tree_parse.c -- parses a JSON text to a tree.
 *
 * The text is validated as a whole first, unless it is known to be valid; then it is read without
 * further checks. */
#include "base/error.h"
#include "base/str.h"
#include "json/node.h"
#include "json/scan.h"
#include "json/simd.h"
#include "json/text.h"

enum {
    /* Objects in a closed one that are opened one after the other.  What is deeper is read as a
     * whole, because each level is a walk over the text of all that are below it. */
    LEVELS_MAX = 8,
};

/* The state of the parser of a valid text. */
typedef struct reading {
    lw_tree *tree;
    const char *at;
    const char *end;
    const char *escape; /* the next backslash, or an earlier one; |end|: there are no more */
    lw_str closed;      /* the name of members whose objects stay closed; NULL: there are none */
    bool is_compact;    /* closed objects are */
    bool is_valid;      /* the text is known to be */
    bool is_level;      /* only one level is read: all objects in it stay closed, as parts of the
                           text, which is kept */
    unsigned level;     /* of these objects */
} reading;

/* The keys that an object may already have: one bit for all keys with equal properties. */
typedef uint64_t key_marks;

static inline void skip_blanks(reading *r)
{
    while (r->at < r->end && lw_char_is_blank(*r->at))
        r->at++;
}

/* Returns the first quote from |quote| on that is not escaped. */
static const char *escaped_end(const char *begin, const char *quote, const char *end)
{
    for (;;) {
        const char *back = quote;
        while (back > begin && back[-1] == '\\')
            back--;
        if ((quote - back) % 2 == 0)
            return quote;
        quote++;
        quote = memchr(quote, '"', (size_t)(end - quote));
    }
}

/* Skips the string at the current position; |*raw| is the text between its quotes. Returns true if
 * it contains escapes. */
static bool read_string(reading *r, lw_str *raw)
{
    const char *begin = r->at + 1;
    const char *quote = memchr(begin, '"', (size_t)(r->end - begin));
    if (r->escape < begin) {
        r->escape = memchr(begin, '\\', (size_t)(r->end - begin));
        if (!r->escape)
            r->escape = r->end;
    }
    bool is_escaped = r->escape < quote;
    if (is_escaped)
        quote = escaped_end(begin, quote, r->end);
    *raw = lw_str_make(begin, (size_t)(quote - begin));
    r->at = quote + 1;
    return is_escaped;
}

static size_t decode(char *to, lw_str raw, bool is_escaped)
{
    if (is_escaped)
        return lw_json_unescape(to, raw);
    if (raw.len > 0)
        memcpy(to, raw.ptr, raw.len);
    return raw.len;
}

/* Decodes |raw| into the memory of the tree. Returns false if the tree has failed. */
static bool keep_text(lw_tree *tree, lw_str raw, bool is_escaped, lw_str *text)
{
    char *room = lw_tree__text_room(tree, raw.len);
    if (!room)
        return false;
    *text = lw_str_make(room, decode(room, raw, is_escaped));
    return true;
}

static lw_node *build_string(reading *r)
{
    char small[LW_NODE_INLINE];
    lw_str raw, text;
    bool is_escaped = read_string(r, &raw);
    if (raw.len <= sizeof(small))
        text = lw_str_make(small, decode(small, raw, is_escaped));
    else if (!keep_text(r->tree, raw, is_escaped, &text))
        return NULL;
    lw_node *node = lw_tree__text_node(r->tree, LW_JSON_STRING, text);
    if (node)
        node->boolean = is_escaped;
    return node;
}

static lw_node *build_number(reading *r)
{
    const char *begin = r->at;
    while (r->at < r->end && *r->at != ',' && *r->at != '}' && *r->at != ']' &&
           !lw_char_is_blank(*r->at))
        r->at++;
    return lw_tree_number(r->tree, lw_str_make(begin, (size_t)(r->at - begin)));
}

static lw_node *build_word(reading *r, size_t len, lw_json_type type)
{
    lw_node *node = lw_tree__node(r->tree, type);
    if (node)
        node->boolean = *r->at == 't';
    r->at += len;
    return node;
}

/* Inside a container: moves to the next item, or past the end. */
static bool next_item(reading *r, char close)
{
    skip_blanks(r);
    if (*r->at == ',') {
        r->at++;
        skip_blanks(r);
    }
    if (*r->at != close)
        return true;
    r->at++;
    return false;
}

static lw_node *build_value(reading *r);

static key_marks mark_of(lw_str key)
{
    unsigned sum = (unsigned)key.len;
    if (key.len > 0)
        sum += (unsigned char)key.ptr[0] * 5U + (unsigned char)key.ptr[key.len - 1] * 17U;
    return (key_marks)1 << sum % 64;
}

/* Whether the object at the current position, the value of |key|, stays closed. */
static bool is_closed(const reading *r, lw_str key)
{
    return *r->at == '{' && (r->is_level || (r->closed.ptr && lw_str_equal(key, r->closed)));
}

/* Keeps the text of the object at the current position. */
static lw_node *build_closed(reading *r)
{
    const char *begin = r->at;
    r->at = lw_simd_best()->skip_container(r->at, r->end);
    lw_str text = lw_str_make(begin, (size_t)(r->at - begin));
    if (lw_str_equal(text, LW_STR("{}")))
        return lw_tree__node(r->tree, LW_JSON_OBJECT);
    if (!r->is_level && !keep_text(r->tree, text, false, &text))
        return NULL;
    lw_node *node = lw_tree__closed(r->tree, text, r->is_compact);
    if (node)
        node->closed->level = r->level;
    return node;
}

/* Of members with the same name, the last value is used, at the position of the first. */
static void build_member(reading *r, lw_node *object, key_marks *marks)
{
    lw_str raw, key;
    bool is_escaped = read_string(r, &raw);
    if (!keep_text(r->tree, raw, is_escaped, &key))
        return;
    skip_blanks(r);
    r->at++; /* the colon */
    skip_blanks(r);
    lw_node *value = is_closed(r, key) ? build_closed(r) : build_value(r);
    key_marks mark = mark_of(key);
    if (*marks & mark && lw_node_get(object, key)) {
        r->tree->had_repeats = true;
        lw_node__put_owned(r->tree, object, key, value);
    } else {
        lw_node__add_owned(r->tree, object, key, value);
    }
    *marks |= mark;
}

/* Builds the value at the current position. The recursion is limited: the text was checked to be at
 * most LW_TREE_DEPTH deep. After a failure the position is undefined, and parsing stops. */
static lw_node *build_value(reading *r)
{
    lw_tree *tree = r->tree;
    lw_node *node;
    key_marks marks = 0;
    switch (*r->at) {
    case '"': return build_string(r);
    case 't':
    case 'n': return build_word(r, 4, *r->at == 't' ? LW_JSON_BOOL : LW_JSON_NULL);
    case 'f': return build_word(r, 5, LW_JSON_BOOL);
    case '{':
        r->at++;
        node = lw_tree__node(tree, LW_JSON_OBJECT);
        while (tree->st == LW_OK && next_item(r, '}'))
            build_member(r, node, &marks);
        return node;
    case '[':
        r->at++;
        node = lw_tree__node(tree, LW_JSON_ARRAY);
        while (tree->st == LW_OK && next_item(r, ']'))
            lw_node_append(tree, node, build_value(r));
        return node;
    default: return build_number(r);
    }
}

static lw_status tree_report(const lw_tree *tree, lw_error *err)
{
    if (lw_budget_is_over(tree->budget))
        return lw_error_set(err, LW_ERR_LIMIT, "the document takes too many steps to read");
    if (tree->st == LW_ERR_LIMIT)
        return lw_error_set(err, LW_ERR_LIMIT, "the document takes more than %zu bytes of memory",
                            tree->limit);
    return tree->st == LW_ERR_NOMEM ? lw_error_nomem(err) : tree->st;
}

/* Reads the valid text |json| as |r| says. */
static lw_node *build(reading r, lw_str json)
{
    r.at = json.ptr;
    r.end = json.ptr + json.len;
    r.escape = memchr(json.ptr, '\\', json.len);
    if (!r.escape)
        r.escape = r.end;
    skip_blanks(&r);
    return build_value(&r);
}

lw_node *lw_tree_read_closed(lw_tree *tree, const lw_node *node)
{
    lw_str text = node->closed->text;
    if (tree->st < 0 || !lw_tree_charge(tree, text.len / LW_BUDGET_TEXT_BYTES))
        return NULL;
    lw_node *read = build((reading){ .tree = tree }, text);
    return tree->st == LW_OK ? read : NULL;
}

bool lw_node__open_closed(const lw_node *object)
{
    struct lw_closed *closed = object->closed;
    lw_tree *tree = closed->tree;
    if (tree->st < 0 || !lw_tree_charge(tree, closed->text.len / LW_BUDGET_TEXT_BYTES))
        return false;
    const reading level = { .tree = tree,
                            .is_compact = closed->is_compact,
                            .is_level = closed->level < LEVELS_MAX,
                            .level = closed->level + 1 };
    const lw_node *read = build(level, closed->text);
    if (tree->st < 0)
        return false;
    *(lw_node *)(uintptr_t)object = *read; /* the members come into being; the value is the same */
    return true;
}

static lw_status parse(reading r, lw_str json, lw_node **out, lw_error *err)
{
    lw_tree *tree = r.tree;
    if (tree->st < 0 || !lw_tree_charge(tree, json.len / LW_BUDGET_TEXT_BYTES))
        return tree_report(tree, err);
    lw_status st = r.is_valid ? LW_OK : lw_json_validate(json, LW_TREE_DEPTH, err);
    if (st < 0)
        return st;
    lw_node *node = build(r, json);
    if (tree->st < 0)
        return tree_report(tree, err);
    *out = node;
    return LW_OK;
}

lw_status lw_tree_parse_node(lw_tree *tree, lw_str json, lw_node **out, lw_error *err)
{
    return parse((reading){ .tree = tree }, json, out, err);
}

static lw_status parse_tree(reading r, lw_tree **out, lw_str json, size_t limit, lw_budget *budget,
                            lw_error *err)
{
    if (lw_tree_new(&r.tree, limit) < 0)
        return lw_error_nomem(err);
    lw_tree_set_budget(r.tree, budget);
    lw_status st = parse(r, json, &r.tree->root, err);
    if (st < 0)
        lw_tree_free(r.tree);
    else
        *out = r.tree;
    return st;
}

lw_status lw_tree_parse_within(lw_tree **out, lw_str json, size_t limit, lw_budget *budget,
                               lw_error *err)
{
    return parse_tree((reading){ .tree = NULL }, out, json, limit, budget, err);
}

lw_status lw_tree_parse_closed(lw_tree **out, lw_str json, lw_str name, bool is_compact,
                               lw_budget *budget, lw_error *err)
{
    const reading r = { .closed = name, .is_compact = is_compact };
    return parse_tree(r, out, json, 0, budget, err);
}

lw_status lw_tree_parse_stored(lw_tree **out, lw_str json, lw_str name, lw_budget *budget,
                               lw_error *err)
{
    const reading r = { .closed = name, .is_compact = true, .is_valid = true };
    return parse_tree(r, out, json, 0, budget, err);
}

lw_status lw_tree_parse(lw_tree **out, lw_str json, size_t limit, lw_error *err)
{
    return lw_tree_parse_within(out, json, limit, NULL, err);
}
