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
#include "json/special.h"
#include "json/text.h"

enum {
    /* Objects in a closed one that are opened one after the other.  What is deeper is read as a
     * whole, because each level is a walk over the text of all that are below it. */
    LEVELS_MAX = 8,
    /* Members and elements that wait until their container is complete: of all open containers, and
     * of one of them.  So most containers get their final size at once. */
    WAITING_MAX = 256,
    WAITING_IN_ONE_MAX = 32,
};

/* The members and elements that wait, those of the innermost container last. */
typedef struct waiting {
    uint32_t count;
    lw_slot slots[WAITING_MAX];
} waiting;

/* The state of the parser of a valid text, which lives as long as the tree. */
typedef struct reading {
    lw_tree *tree;
    const char *at;
    const char *end;
    lw_str closed;   /* the name of members whose objects stay closed; NULL: there are none */
    bool is_compact; /* closed objects are */
    bool is_valid;   /* the text is known to be */
    bool is_level; /* only one level is read: all objects in it stay closed, as parts of the text */
    unsigned level;            /* of these objects */
    const lw_tree_part *parts; /* members of the root that stay closed */
    size_t part_count;
    bool are_known;      /* only if they have these texts */
    unsigned tried;      /* which of them have been compared; bits */
    const lw_node *root; /* the object that has the parts; NULL: not yet */
    waiting *waiting;
} reading;

/* A container of which something may wait. */
typedef struct container {
    lw_node *node;
    uint32_t first;     /* of its slots that wait */
    lw_key_marks marks; /* of all of its keys */
} container;

/* Copies |*text| into the memory of the tree: what is read from it shares the copy.  Returns false
 * if the tree has failed. */
static bool keep_text(lw_tree *tree, lw_str *text)
{
    char *room = lw_tree__text_room(tree, text->len);
    if (!room)
        return false;
    memcpy(room, text->ptr, text->len);
    text->ptr = room;
    return true;
}

static inline void skip_blanks(reading *r)
{
    while (r->at < r->end && lw_char_is_blank(*r->at))
        r->at++;
}

/* Reads the string at the current position.  Its text is in that of the document, or decoded in the
 * memory of the tree; its ptr is NULL if the tree has failed. */
static lw_str read_string(reading *r, bool *is_escaped, bool *is_plain)
{
    const char *begin = r->at + 1;
    const char *quote = lw_json_find_string_end(begin, r->end, is_plain);
    lw_str text = lw_str_make(begin, (size_t)(quote - begin));
    *is_escaped = *quote == '\\';
    if (*is_escaped) {
        *is_plain = false;
        while (*quote == '\\')
            quote = lw_json_find_special(quote + 2, r->end);
        text.ptr = lw_tree__text_room(r->tree, (size_t)(quote - begin));
        if (text.ptr)
            text.len = lw_json_unescape((char *)(uintptr_t)text.ptr,
                                        lw_str_make(begin, (size_t)(quote - begin)));
    }
    r->at = quote + 1;
    return text;
}

static lw_node *build_string(reading *r)
{
    bool is_escaped, is_plain;
    lw_str text = read_string(r, &is_escaped, &is_plain);
    lw_node *node = text.ptr ? lw_tree__text_node(r->tree, LW_JSON_STRING, text) : NULL;
    if (node) {
        node->boolean = is_escaped;
        node->is_plain = is_plain;
    }
    return node;
}

static lw_node *build_number(reading *r)
{
    const char *begin = r->at;
    while (r->at < r->end && *r->at != ',' && *r->at != '}' && *r->at != ']' &&
           !lw_char_is_blank(*r->at))
        r->at++;
    return lw_tree__text_node(r->tree, LW_JSON_NUMBER, lw_str_make(begin, (size_t)(r->at - begin)));
}

static lw_node *build_word(reading *r, size_t len, lw_json_type type)
{
    lw_node *node = lw_tree__node(r->tree, type);
    if (node)
        node->boolean = *r->at == 't';
    r->tree->had_nulls |= type == LW_JSON_NULL;
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
    lw_node *node = lw_tree__closed(r->tree, text, r->is_compact);
    if (node)
        node->closed->level = r->level;
    return node;
}

/* Returns the part named |key|; NULL: there is none, or the value is not an object.  A known text
 * is compared only once, however often a member with its name is there. */
static const lw_tree_part *find_part(reading *r, lw_str key)
{
    for (size_t i = 0; i < r->part_count; i++) {
        if (*r->at != '{' || !lw_str_equal(key, r->parts[i].name))
            continue;
        bool is_tried = r->are_known && r->tried & 1u << i;
        r->tried |= 1u << i;
        return is_tried ? NULL : &r->parts[i];
    }
    return NULL;
}

/* Builds the value at the current position, which is that of |part|, or another one. */
static lw_node *build_part(reading *r, const lw_tree_part *part)
{
    lw_str text = part->text;
    if (!r->are_known)
        return build_closed(r);
    lw_json_cursor c = { r->at, r->end };
    if (!lw_json_cursor_pass(&c, text))
        return build_value(r);
    lw_str passed = lw_str_make(r->at, (size_t)(c.at - r->at));
    r->at = c.at;
    if (lw_str_equal(passed, text))
        text = passed; /* which is in the tree already */
    else if (!keep_text(r->tree, &text))
        return NULL;
    lw_node *node = lw_tree__closed(r->tree, text, true);
    if (node)
        node->closed->is_known = true;
    return node;
}

/* Builds the value of the member |key| of |object|. */
static lw_node *build_member_value(reading *r, const lw_node *object, lw_str key)
{
    const lw_tree_part *part = object == r->root ? find_part(r, key) : NULL;
    if (part)
        return build_part(r, part);
    return is_closed(r, key) ? build_closed(r) : build_value(r);
}

static void put_slots(const reading *r, const container *c, const lw_slot *slots, uint32_t count)
{
    if (c->node->type == LW_JSON_OBJECT)
        lw_node__add_slots(r->tree, c->node, slots, count, c->marks);
    else
        lw_node__append_slots(r->tree, c->node, slots, count);
}

/* Puts what waits into its container. */
static void settle(reading *r, const container *c)
{
    uint32_t count = r->waiting->count - c->first;
    r->waiting->count = c->first;
    put_slots(r, c, &r->waiting->slots[c->first], count);
}

/* Adds |slot| to the container; a NULL value is a failure of the tree. */
static void add_slot(reading *r, const container *c, lw_slot slot)
{
    if (!slot.value)
        return;
    if (r->waiting->count == WAITING_MAX || r->waiting->count - c->first == WAITING_IN_ONE_MAX)
        settle(r, c);
    if (r->waiting->count == WAITING_MAX) /* of others */
        put_slots(r, c, &slot, 1);
    else
        r->waiting->slots[r->waiting->count++] = slot;
}

/* Replaces the value of |key|.  False: the object does not have it. */
static bool replace_member(reading *r, const container *c, lw_str key, lw_node *value)
{
    bool is_there = false;
    for (uint32_t i = c->first; i < r->waiting->count && !is_there; i++) {
        lw_slot *slot = &r->waiting->slots[i];
        is_there = lw_str_equal(lw_slot_key(slot), key);
        if (is_there && value)
            slot->value = value;
    }
    if (!is_there && lw_node_get(c->node, key)) {
        is_there = true;
        lw_node__put_owned(r->tree, c->node, key, value);
    }
    return is_there;
}

/* Of members with the same name, the last value is used, at the position of the first. */
static void build_member(reading *r, container *c)
{
    bool is_escaped, is_plain;
    lw_str key = read_string(r, &is_escaped, &is_plain);
    if (!key.ptr)
        return;
    skip_blanks(r);
    r->at++; /* the colon */
    skip_blanks(r);
    lw_node *value = build_member_value(r, c->node, key);
    lw_key_marks mark = lw_key_mark(key);
    if (c->marks & mark && replace_member(r, c, key, value)) {
        r->tree->had_repeats = true;
        return;
    }
    c->marks |= mark;
    add_slot(r, c,
             (lw_slot){ .value = value,
                        .key = key.ptr,
                        .key_len = (uint32_t)key.len,
                        .is_plain = is_plain });
}

/* Builds the object or array at the current position, which ends with |close|. */
static lw_node *build_container(reading *r, lw_json_type type, char close)
{
    container c = { .node = lw_tree__node(r->tree, type), .first = r->waiting->count };
    if (!r->root && r->part_count > 0)
        r->root = c.node;
    r->at++;
    while (r->tree->st == LW_OK && next_item(r, close)) {
        if (type == LW_JSON_OBJECT)
            build_member(r, &c);
        else
            add_slot(r, &c, (lw_slot){ .value = build_value(r) });
    }
    if (r->tree->st < 0)
        return NULL;
    settle(r, &c);
    return c.node;
}

/* Builds the value at the current position. The recursion is limited: the text was checked to be at
 * most LW_TREE_DEPTH deep. After a failure the position is undefined, and parsing stops. */
static lw_node *build_value(reading *r)
{
    switch (*r->at) {
    case '"': return build_string(r);
    case 't':
    case 'n': return build_word(r, 4, *r->at == 't' ? LW_JSON_BOOL : LW_JSON_NULL);
    case 'f': return build_word(r, 5, LW_JSON_BOOL);
    case '{': return build_container(r, LW_JSON_OBJECT, '}');
    case '[': return build_container(r, LW_JSON_ARRAY, ']');
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

/* Reads the valid text |json|, which lives as long as the tree, as |r| says. */
static lw_node *build(reading r, lw_str json)
{
    waiting none;
    none.count = 0;
    r.at = json.ptr;
    r.end = json.ptr + json.len;
    r.waiting = &none;
    skip_blanks(&r);
    return build_value(&r);
}

lw_node *lw_tree_read_closed(lw_tree *tree, const lw_node *node)
{
    lw_str text = node->closed->text;
    if (tree->st < 0 || !lw_tree_charge(tree, text.len / LW_BUDGET_TEXT_BYTES) ||
        !keep_text(tree, &text))
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
                            .is_level = closed->level < LEVELS_MAX && !closed->reader,
                            .level = closed->level + 1 };
    lw_node *read = build(level, closed->text);
    if (tree->st == LW_OK && closed->reader)
        closed->reader(tree, closed->arg, read);
    if (tree->st < 0)
        return false;
    *(lw_node *)(uintptr_t)object = *read; /* the members come into being; the value is the same */
    return true;
}

lw_status lw_node_open(lw_node *node)
{
    lw_str text;
    if (!lw_node_is_closed(node, &text))
        return LW_OK;
    const lw_tree *tree = node->closed->tree;
    node->closed->level = LEVELS_MAX;
    return lw_node__open_closed(node) ? LW_OK : tree->st;
}

static lw_status parse(reading r, lw_str json, lw_node **out, lw_error *err)
{
    lw_tree *tree = r.tree;
    if (tree->st < 0 || !lw_tree_charge(tree, json.len / LW_BUDGET_TEXT_BYTES))
        return tree_report(tree, err);
    lw_status st = r.is_valid ? LW_OK : lw_json_validate(json, LW_TREE_DEPTH, err);
    if (st < 0)
        return st;
    lw_node *node = keep_text(tree, &json) ? build(r, json) : NULL;
    if (tree->st < 0)
        return tree_report(tree, err);
    if (out == &tree->root)
        tree->source = (struct lw_source){ json, r.closed, r.is_compact, r.part_count == 0 };
    *out = node;
    return LW_OK;
}

bool lw_tree_can_reread(const lw_tree *tree)
{
    return tree->source.text.ptr && tree->source.is_whole;
}

lw_status lw_tree_reread(lw_tree *tree)
{
    const struct lw_source *source = &tree->source;
    const reading r = { .tree = tree, .closed = source->closed, .is_compact = source->is_compact };
    if (tree->st == LW_OK && lw_tree_charge(tree, source->text.len / LW_BUDGET_TEXT_BYTES))
        tree->root = build(r, source->text);
    return tree->st;
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

lw_status lw_tree_parse_known(lw_tree **out, lw_str json, lw_str name, const lw_tree_part *parts,
                              size_t count, lw_budget *budget, lw_error *err)
{
    const reading r = { .closed = name, .parts = parts, .part_count = count, .are_known = true };
    return parse_tree(r, out, json, 0, budget, err);
}

lw_status lw_tree_parse_parts(lw_tree **out, lw_str json, lw_str name, const lw_tree_part *parts,
                              size_t count, lw_budget *budget, lw_error *err)
{
    const reading r = {
        .closed = name, .parts = parts, .part_count = count, .is_compact = true, .is_valid = true
    };
    return parse_tree(r, out, json, 0, budget, err);
}

lw_status lw_tree_parse(lw_tree **out, lw_str json, size_t limit, lw_error *err)
{
    return lw_tree_parse_within(out, json, limit, NULL, err);
}
