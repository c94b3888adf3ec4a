/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_parser.c -- converts the events of libyaml to trees: scalars, keys, merges, anchors and
 * aliases.
 *
 * It is iterative: open lists and maps are on a stack of at most LW_TREE_DEPTH frames.  An alias is
 * a copy of the value of its anchor, so the result is a tree; the cost is counted before copying.
 */
#include "json/yaml/yaml_parser.h"

#include <math.h>
#include <yaml.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "json/text.h"
#include "json/yaml/yaml_anchors.h"
#include "json/yaml/yaml_scalar.h"

enum {
    EXCERPT_SIZE = 48, /* of a scalar in a message */
    EVENT_STEPS = 6, /* of a budget that libyaml takes for one event, and its bytes for one step */
    BYTES_PER_STEP = 4,
};

/* A list or map that has not ended. */
typedef struct frame {
    lw_node *node;
    int anchor;      /* index, or LW_YAML_NO_ANCHOR */
    unsigned height; /* as lw_yaml_anchor.height, of what was read so far */
    uint64_t nodes;  /* anchors.nodes before it */
    bool has_key;    /* of a map: a key was read, and its value follows */
    bool is_merge;   /* and that key was "<<" */
    size_t key_at;   /* and this is where it starts in |keys| */
} frame;

struct lw_yaml_parser {
    yaml_parser_t yaml;
    lw_str text;
    lw_tree *tree; /* of the document being read */
    size_t limit;  /* of that tree */
    lw_yaml_anchors anchors;
    lw_buf keys;    /* keys whose values follow, one after the other */
    lw_buf scratch; /* a decoded !!binary */
    frame *frames;  /* LW_TREE_DEPTH of them */
    size_t depth;   /* of them open */
    lw_error *err;
    lw_buf *duplicates; /* borrowed; NULL: not requested */
    size_t lines_before;
    lw_budget *budget; /* borrowed; NULL: no limit */
};

/* A value that is to be added to its parent. */
typedef struct value {
    lw_node *node;
    unsigned height;
    bool is_alias;
} value;

lw_status lw_yaml_parser_new(lw_yaml_parser **out, lw_str text)
{
    lw_yaml_parser *p = lw_alloc_zero(1, sizeof(*p));
    if (!p)
        return LW_ERR_NOMEM;
    p->frames = lw_realloc_array(NULL, LW_TREE_DEPTH, sizeof(*p->frames));
    if (!p->frames || !yaml_parser_initialize(&p->yaml)) {
        lw_free(p->frames);
        lw_free(p);
        return LW_ERR_NOMEM;
    }
    p->text = text.len ? text : LW_STR("\n");
    yaml_parser_set_encoding(&p->yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&p->yaml, (const unsigned char *)p->text.ptr, p->text.len);
    lw_yaml_anchors_init(&p->anchors);
    lw_buf_init(&p->keys, LW_TREE_LIMIT);
    lw_buf_init(&p->scratch, LW_TREE_LIMIT);
    *out = p;
    return LW_OK;
}

void lw_yaml_parser_report_duplicates(lw_yaml_parser *p, lw_buf *out, size_t lines_before)
{
    p->duplicates = out;
    p->lines_before = lines_before;
}

void lw_yaml_parser_set_budget(lw_yaml_parser *p, lw_budget *budget)
{
    p->budget = budget;
}

void lw_yaml_parser_free(lw_yaml_parser *p)
{
    if (!p)
        return;
    yaml_parser_delete(&p->yaml);
    lw_tree_free(p->tree);
    lw_yaml_anchors_done(&p->anchors);
    lw_buf_done(&p->keys);
    lw_buf_done(&p->scratch);
    lw_free(p->frames);
    lw_free(p);
}

/* Returns the offset of the character |index| of the text: libyaml counts characters. */
static size_t byte_of(lw_str text, size_t index)
{
    size_t at = 0;
    for (; at < text.len; at++) {
        bool is_lead = ((unsigned char)text.ptr[at] & 0xC0) != 0x80;
        if (is_lead && index-- == 0)
            break;
    }
    return at;
}

static size_t event_offset(const lw_yaml_parser *p, const yaml_event_t *event)
{
    return byte_of(p->text, event->start_mark.index);
}

/* Formats |text| for a message: short, and on one line. */
static const char *excerpt(char out[EXCERPT_SIZE], lw_str text)
{
    lw_error_copy_text(out, EXCERPT_SIZE, text.ptr, text.len);
    for (char *c = out; *c; c++) {
        if ((unsigned char)*c < ' ')
            *c = ' ';
    }
    return out;
}

/* Sets the error that libyaml reported. */
static lw_status report_yaml(lw_yaml_parser *p)
{
    const yaml_parser_t *yaml = &p->yaml;
    if (yaml->error == YAML_MEMORY_ERROR)
        return lw_error_nomem(p->err);
    size_t offset = yaml->error == YAML_READER_ERROR ? yaml->problem_offset
                                                     : byte_of(p->text, yaml->problem_mark.index);
    const char *problem = yaml->problem ? yaml->problem : "malformed YAML";
    return lw_error_set_at(p->err, LW_ERR_SYNTAX, offset, "%s%s%s", problem,
                           yaml->context ? " " : "", yaml->context ? yaml->context : "");
}

/* The budget is over. */
static lw_status report_work(lw_yaml_parser *p)
{
    return lw_error_set(p->err, LW_ERR_LIMIT, "the document takes too many steps to read");
}

/* Returns the failure of the tree or a buffer, if there is one. */
static lw_status report_memory(lw_yaml_parser *p, const yaml_event_t *event, lw_status st)
{
    if (st == LW_ERR_NOMEM)
        return lw_error_nomem(p->err);
    if (st == LW_ERR_LIMIT && lw_budget_is_over(p->budget))
        return report_work(p);
    if (st == LW_ERR_LIMIT)
        return lw_error_set_at(p->err, st, event_offset(p, event),
                               "the document takes more than %zu bytes of memory", p->limit);
    return st;
}

static lw_status report_aliasing(lw_yaml_parser *p, const yaml_event_t *event)
{
    return lw_error_set_at(p->err, LW_ERR_LIMIT, event_offset(p, event),
                           "document contains excessive aliasing");
}

static lw_status report_depth(lw_yaml_parser *p, const yaml_event_t *event)
{
    return lw_error_set_at(p->err, LW_ERR_LIMIT, event_offset(p, event),
                           "document is nested deeper than %d levels", LW_TREE_DEPTH);
}

static frame *top(lw_yaml_parser *p)
{
    return p->depth > 0 ? &p->frames[p->depth - 1] : NULL;
}

/* Returns true if the next node is a key. */
static bool wants_key(lw_yaml_parser *p)
{
    frame *f = top(p);
    return f && lw_node_is(f->node, LW_JSON_OBJECT) && !f->has_key;
}

static lw_str event_text(const yaml_event_t *event)
{
    return lw_str_make((const char *)event->data.scalar.value, event->data.scalar.length);
}

/* Copies the members of |map| into |into|, as Kubernetes merges: they replace members before the
 * "<<", and members after it replace them. */
static void merge_map(lw_yaml_parser *p, lw_node *into, const lw_node *map)
{
    for (size_t i = 0; i < lw_node_count(map) && lw_tree_status(p->tree) == LW_OK; i++)
        lw_node_put(p->tree, into, lw_node_key_at(map, i),
                    lw_tree_copy(p->tree, lw_node_at(map, i)));
}

static lw_status merge(lw_yaml_parser *p, const yaml_event_t *event, lw_node *into, value v)
{
    bool is_good = lw_node_is(v.node, LW_JSON_OBJECT);
    if (lw_node_is(v.node, LW_JSON_ARRAY) && !v.is_alias) {
        is_good = true;
        for (size_t i = 0; i < lw_node_count(v.node); i++)
            is_good = is_good && lw_node_is(lw_node_at(v.node, i), LW_JSON_OBJECT);
    }
    if (!is_good && lw_tree_status(p->tree) == LW_OK)
        return lw_error_set_at(p->err, LW_ERR_INVALID, event_offset(p, event),
                               "map merge requires map or sequence of maps as the value");
    if (lw_node_is(v.node, LW_JSON_OBJECT))
        merge_map(p, into, v.node);
    /* Backwards: of the maps in a list, the first one takes precedence. */
    for (size_t i = lw_node_is(v.node, LW_JSON_ARRAY) ? lw_node_count(v.node) : 0; i > 0; i--)
        merge_map(p, into, lw_node_at(v.node, i - 1));
    return LW_OK;
}

/* Adds |v| to the current container. */
static lw_status add_value(lw_yaml_parser *p, const yaml_event_t *event, value v)
{
    lw_status st = LW_OK;
    frame *f = top(p);
    if (!f) {
        lw_tree_set_root(p->tree, v.node);
    } else if (lw_node_is(f->node, LW_JSON_ARRAY)) {
        lw_node_append(p->tree, f->node, v.node);
    } else if (f->is_merge) {
        st = merge(p, event, f->node, v);
    } else {
        lw_str key = lw_str_skip(lw_buf_view(&p->keys), f->key_at);
        lw_node_put(p->tree, f->node, key, v.node);
    }
    if (f) {
        if (f->has_key)
            lw_buf_truncate(&p->keys, f->key_at);
        f->has_key = f->is_merge = false;
        if (f->height < v.height + 1)
            f->height = v.height + 1;
    }
    return st < 0 ? st : report_memory(p, event, lw_tree_status(p->tree));
}

/* Converts the scalar of |event|. LW_ERR_INVALID: it does not match its tag. */
static lw_status resolve(lw_yaml_parser *p, const yaml_event_t *event, lw_yaml_scalar *out)
{
    const char *tag = (const char *)event->data.scalar.tag;
    lw_str text = event_text(event);
    if (!tag) {
        *out = event->data.scalar.plain_implicit ? lw_yaml_scalar_plain(text)
                                                 : (lw_yaml_scalar){ .type = LW_YAML_STRING };
        return LW_OK;
    }
    if (lw_yaml_scalar_tagged(lw_str_of(tag), text, out))
        return LW_OK;
    static const char standard[] = "tag:yaml.org,2002:"; /* other tags match any text */
    char shown[EXCERPT_SIZE];
    return lw_error_set_at(p->err, LW_ERR_INVALID, event_offset(p, event),
                           "cannot decode %s `%s` as a !!%s", lw_yaml_type_name(out->type),
                           excerpt(shown, text), tag + strlen(standard));
}

/* Returns the string of |event|, which was resolved as |s|: its text, or the decoded text. */
static lw_status string_of(lw_yaml_parser *p, const yaml_event_t *event, const lw_yaml_scalar *s,
                           lw_str *out)
{
    *out = event_text(event);
    if (s->type != LW_YAML_BINARY)
        return LW_OK;
    lw_buf_reset(&p->scratch);
    if (!lw_yaml_binary_decode(&p->scratch, *out))
        return lw_error_set_at(p->err, LW_ERR_INVALID, event_offset(p, event),
                               "!!binary value contains invalid base64 data");
    *out = lw_buf_view(&p->scratch);
    return report_memory(p, event, p->scratch.st);
}

/* Makes the node of a number. LW_ERR_INVALID: JSON cannot represent it. */
static lw_status make_number(lw_yaml_parser *p, const yaml_event_t *event, const lw_yaml_scalar *s,
                             lw_node **out)
{
    char text[LW_YAML_FLOAT_SIZE];
    if (s->type == LW_YAML_FLOAT && !isfinite(s->as.number)) {
        char shown[EXCERPT_SIZE];
        return lw_error_set_at(p->err, LW_ERR_INVALID, event_offset(p, event),
                               "%s cannot be represented in JSON",
                               excerpt(shown, event_text(event)));
    }
    *out = lw_tree_number(p->tree, lw_str_make(text, lw_yaml_scalar_json(s, text)));
    return LW_OK;
}

static lw_status make_scalar(lw_yaml_parser *p, const yaml_event_t *event, const lw_yaml_scalar *s,
                             lw_node **out)
{
    lw_str text;
    lw_status st = LW_OK;
    switch (s->type) {
    case LW_YAML_NULL: *out = lw_tree_null(p->tree); break;
    case LW_YAML_BOOL: *out = lw_tree_bool(p->tree, s->as.boolean); break;
    case LW_YAML_INT:
    case LW_YAML_UINT:
    case LW_YAML_FLOAT: st = make_number(p, event, s, out); break;
    case LW_YAML_STRING:
    case LW_YAML_TIMESTAMP:
    case LW_YAML_BINARY:
        st = string_of(p, event, s, &text);
        if (st == LW_OK)
            *out = lw_tree_string(p->tree, text);
        break;
    }
    return st < 0 ? st : report_memory(p, event, lw_tree_status(p->tree));
}

static void report_duplicate(lw_yaml_parser *p, const yaml_event_t *event, lw_str key)
{
    lw_buf_printf(p->duplicates, "line %zu: key ",
                  p->lines_before + (size_t)event->start_mark.line + 1);
    lw_json_append_quoted(p->duplicates, key);
    lw_buf_append_text(p->duplicates, " already set in map\n");
}

/* Makes the scalar |s| the key of the open map; |text| is its string if it is one. */
static lw_status set_key(lw_yaml_parser *p, const yaml_event_t *event, const lw_yaml_scalar *s,
                         lw_str text)
{
    char made[LW_YAML_FLOAT_SIZE];
    if (s->type < LW_YAML_STRING) {
        text = lw_str_make(made, lw_yaml_scalar_key(s, made));
        if (text.len == 0)
            return lw_error_set_at(p->err, LW_ERR_INVALID, event_offset(p, event),
                                   s->type == LW_YAML_NULL
                                       ? "null cannot be a key"
                                       : "an integer of this size cannot be a key");
    }
    frame *f = top(p);
    f->has_key = true;
    f->key_at = p->keys.len;
    if (p->duplicates && lw_node_get(f->node, text))
        report_duplicate(p, event, text);
    lw_buf_append_str(&p->keys, text);
    return report_memory(p, event, p->keys.st);
}

/* Records the anchor of a node, if it has one. */
static lw_status open_anchor(lw_yaml_parser *p, const yaml_event_t *event, const yaml_char_t *name,
                             int *out)
{
    *out = LW_YAML_NO_ANCHOR;
    if (!name)
        return LW_OK;
    lw_str kept = lw_node_text(lw_tree_string(p->tree, lw_str_of((const char *)name)));
    lw_status st = lw_tree_status(p->tree);
    if (st < 0)
        return report_memory(p, event, st);
    st = lw_yaml_anchors_add(&p->anchors, kept, out);
    if (st == LW_ERR_LIMIT)
        return lw_error_set_at(p->err, st, event_offset(p, event),
                               "document has more than %d anchors", LW_YAML_ANCHORS);
    return report_memory(p, event, st);
}

static bool is_merge_key(const yaml_event_t *event)
{
    const char *tag = (const char *)event->data.scalar.tag;
    return lw_str_equal(event_text(event), LW_STR("<<")) &&
           (event->data.scalar.plain_implicit ||
            (tag && lw_str_equal(lw_str_of(tag), LW_STR("tag:yaml.org,2002:merge"))));
}

static lw_status on_scalar(lw_yaml_parser *p, const yaml_event_t *event)
{
    bool is_key = wants_key(p);
    int anchor;
    lw_yaml_scalar s;
    lw_node *node = NULL;
    lw_status st = open_anchor(p, event, event->data.scalar.anchor, &anchor);
    if (st == LW_OK)
        st = resolve(p, event, &s);
    if (st == LW_OK && (!is_key || anchor != LW_YAML_NO_ANCHOR))
        st = make_scalar(p, event, &s, &node);
    if (st < 0)
        return st;
    if (anchor != LW_YAML_NO_ANCHOR) {
        lw_yaml_anchor *a = &p->anchors.all[anchor];
        a->node = node;
        a->is_scalar = true;
        a->scalar = s;
        a->nodes = 1;
    }
    if (is_key && is_merge_key(event)) {
        top(p)->has_key = top(p)->is_merge = true;
        top(p)->key_at = p->keys.len;
        return LW_OK;
    }
    if (!lw_yaml_anchors_count(&p->anchors, 1, false))
        return report_aliasing(p, event);
    if (!is_key)
        return add_value(p, event, (value){ .node = node });
    lw_str text;
    st = string_of(p, event, &s, &text);
    return st < 0 ? st : set_key(p, event, &s, text);
}

static lw_status report_key(lw_yaml_parser *p, const yaml_event_t *event)
{
    return lw_error_set_at(p->err, LW_ERR_INVALID, event_offset(p, event),
                           "a map or list cannot be a key");
}

static lw_status on_alias(lw_yaml_parser *p, const yaml_event_t *event)
{
    lw_str name = lw_str_of((const char *)event->data.alias.anchor);
    char shown[EXCERPT_SIZE];
    const lw_yaml_anchor *a = lw_yaml_anchors_find(&p->anchors, name);
    if (!a)
        return lw_error_set_at(p->err, LW_ERR_SYNTAX, event_offset(p, event),
                               "unknown anchor '%s' referenced", excerpt(shown, name));
    if (!a->node)
        return lw_error_set_at(p->err, LW_ERR_SYNTAX, event_offset(p, event),
                               "anchor '%s' value contains itself", excerpt(shown, name));
    if (!lw_yaml_anchors_count(&p->anchors, 1, false) ||
        !lw_yaml_anchors_count(&p->anchors, a->nodes, true))
        return report_aliasing(p, event);
    if (wants_key(p))
        return a->is_scalar ? set_key(p, event, &a->scalar, lw_node_text(a->node))
                            : report_key(p, event);
    if (p->depth + a->height > LW_TREE_DEPTH)
        return report_depth(p, event);
    /* A merged map is copied member by member, not here. */
    bool is_merged = top(p) && top(p)->is_merge;
    value v = { .height = a->height, .is_alias = true };
    v.node = is_merged ? a->node : lw_tree_copy(p->tree, a->node);
    return add_value(p, event, v);
}

/* A list or map begins. */
static lw_status on_start(lw_yaml_parser *p, const yaml_event_t *event, bool is_map)
{
    if (wants_key(p))
        return report_key(p, event);
    if (p->depth == LW_TREE_DEPTH)
        return report_depth(p, event);
    const yaml_char_t *name =
        is_map ? event->data.mapping_start.anchor : event->data.sequence_start.anchor;
    frame f = { .height = 1, .nodes = p->anchors.nodes };
    lw_status st = open_anchor(p, event, name, &f.anchor);
    if (st < 0)
        return st;
    if (!lw_yaml_anchors_count(&p->anchors, 1, false))
        return report_aliasing(p, event);
    f.node = is_map ? lw_tree_object(p->tree) : lw_tree_array(p->tree);
    p->frames[p->depth++] = f;
    return report_memory(p, event, lw_tree_status(p->tree));
}

static lw_status on_end(lw_yaml_parser *p, const yaml_event_t *event)
{
    frame f = p->frames[--p->depth];
    if (f.anchor != LW_YAML_NO_ANCHOR) {
        lw_yaml_anchor *a = &p->anchors.all[f.anchor];
        a->node = f.node;
        a->height = f.height;
        a->nodes = p->anchors.nodes - f.nodes;
    }
    return add_value(p, event, (value){ .node = f.node, .height = f.height });
}

static lw_status on_event(lw_yaml_parser *p, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT: return on_scalar(p, event);
    case YAML_ALIAS_EVENT: return on_alias(p, event);
    case YAML_SEQUENCE_START_EVENT: return on_start(p, event, false);
    case YAML_MAPPING_START_EVENT: return on_start(p, event, true);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: return on_end(p, event);
    default: return LW_OK;
    }
}

static lw_status start_document(lw_yaml_parser *p, size_t limit)
{
    lw_yaml_anchors_reset(&p->anchors);
    (void)lw_yaml_anchors_count(&p->anchors, 1, false);
    lw_buf_reset(&p->keys);
    p->depth = 0;
    p->limit = limit ? limit : LW_TREE_LIMIT;
    if (lw_tree_new(&p->tree, limit) < 0)
        return lw_error_nomem(p->err);
    lw_tree_set_budget(p->tree, p->budget);
    return LW_OK;
}

lw_status lw_yaml_parser_next(lw_yaml_parser *p, size_t limit, lw_tree **out, lw_error *err)
{
    size_t charged = p->yaml.mark.index;
    p->err = err;
    for (;;) {
        yaml_event_t event;
        /* libyaml reads ahead: what it has read since is known only now. */
        if (!lw_budget_charge(p->budget,
                              EVENT_STEPS + (p->yaml.mark.index - charged) / BYTES_PER_STEP))
            return report_work(p);
        charged = p->yaml.mark.index;
        if (!yaml_parser_parse(&p->yaml, &event))
            return report_yaml(p);
        yaml_event_type_t type = event.type;
        lw_status st =
            type == YAML_DOCUMENT_START_EVENT ? start_document(p, limit) : on_event(p, &event);
        yaml_event_delete(&event);
        if (st < 0)
            return st;
        if (type == YAML_DOCUMENT_END_EVENT || type == YAML_STREAM_END_EVENT ||
            type == YAML_NO_EVENT) {
            *out = p->tree;
            p->tree = NULL;
            return LW_OK;
        }
    }
}
