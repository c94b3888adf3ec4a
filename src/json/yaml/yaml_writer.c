/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_writer.c -- writes a tree as one YAML document with the emitter of libyaml.
 *
 * The emitter of the YAML library of Kubernetes is derived from libyaml: with the same hints it
 * writes the same bytes.  This file determines the hints. */
#include <limits.h>
#include <yaml.h>

#include "base/str.h"
#include "json/text.h"
#include "json/yaml/yaml.h"
#include "json/yaml/yaml_scalar.h"

enum {
    WIDTH = 80, /* columns after which long strings are folded at a space */
};

typedef struct writer {
    yaml_emitter_t yaml;
    lw_buf *out;
    lw_status st; /* the first failure */
} writer;

static int append_output(void *data, unsigned char *bytes, size_t len)
{
    lw_buf *out = data;
    lw_buf_append(out, bytes, len);
    return out->st == LW_OK;
}

/* Emits |event|, which the emitter takes over, if it could be |made|. */
static void emit(writer *w, yaml_event_t *event, int made)
{
    if (!made) {
        if (w->st == LW_OK)
            w->st = LW_ERR_NOMEM;
        return;
    }
    if (w->st < 0) {
        yaml_event_delete(event);
        return;
    }
    if (yaml_emitter_emit(&w->yaml, event))
        return;
    if (w->yaml.error == YAML_MEMORY_ERROR)
        w->st = LW_ERR_NOMEM;
    else
        w->st = w->out->st < 0 ? w->out->st : LW_ERR_INTERNAL;
}

static void write_scalar(writer *w, lw_str text, yaml_scalar_style_t style)
{
    if (w->st < 0)
        return;
    if (text.len > INT_MAX) {
        w->st = LW_ERR_LIMIT;
        return;
    }
    const char *bytes = text.ptr ? text.ptr : "";
    yaml_event_t event;
    int made = yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)bytes,
                                            (int)text.len, 1, 1, style);
    if (!made && !lw_utf8_is_valid(text))
        w->st = LW_ERR_INVALID;
    emit(w, &event, made);
}

static bool holds(lw_str text, const char *bytes)
{
    return text.ptr && memmem(text.ptr, text.len, bytes, strlen(bytes)) != NULL;
}

/* Returns the style of a string; if YAML does not allow it, the emitter uses quotes instead. */
static yaml_scalar_style_t string_style(lw_str text, bool is_key)
{
    /* These are line breaks in YAML 1.1, and would be folded inside single quotes. */
    if (holds(text, "\xE2\x80\xA8") || holds(text, "\xE2\x80\xA9"))
        return YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    if (holds(text, "\n"))
        return YAML_LITERAL_SCALAR_STYLE;
    bool is_merge = is_key && lw_str_equal(text, LW_STR("<<"));
    return is_merge || lw_yaml_is_ambiguous(text) ? YAML_DOUBLE_QUOTED_SCALAR_STYLE
                                                  : YAML_PLAIN_SCALAR_STYLE;
}

static void write_string(writer *w, lw_str text, bool is_key)
{
    write_scalar(w, text, string_style(text, is_key));
}

/* Numbers are written in the format of YAML: 1.0 is 1, 1000000.0 is 1e+06. */
static void write_number(writer *w, lw_str text)
{
    char form[LW_YAML_FLOAT_SIZE];
    lw_yaml_scalar s = lw_yaml_scalar_plain(text);
    if (s.type == LW_YAML_INT || s.type == LW_YAML_UINT || s.type == LW_YAML_FLOAT)
        text = lw_str_make(form, lw_yaml_scalar_yaml(&s, form));
    write_scalar(w, text, YAML_PLAIN_SCALAR_STYLE);
}

static void write_node(writer *w, const lw_node *node, unsigned depth);

static void write_array(writer *w, const lw_node *node, unsigned depth)
{
    yaml_event_t event;
    emit(w, &event,
         yaml_sequence_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_SEQUENCE_STYLE));
    for (size_t i = 0; i < lw_node_count(node) && w->st == LW_OK; i++)
        write_node(w, lw_node_at(node, i), depth);
    emit(w, &event, yaml_sequence_end_event_initialize(&event));
}

static void write_object(writer *w, const lw_node *node, unsigned depth)
{
    yaml_event_t event;
    emit(w, &event,
         yaml_mapping_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_MAPPING_STYLE));
    for (size_t i = 0; i < lw_node_count(node) && w->st == LW_OK; i++) {
        write_string(w, lw_node_key_at(node, i), true);
        write_node(w, lw_node_at(node, i), depth);
    }
    emit(w, &event, yaml_mapping_end_event_initialize(&event));
}

/* The recursion is limited to |depth| containers. */
static void write_node(writer *w, const lw_node *node, unsigned depth)
{
    lw_json_type type = lw_node_type(node);
    bool is_container = type == LW_JSON_ARRAY || type == LW_JSON_OBJECT;
    if (is_container && depth == 0) {
        w->st = LW_ERR_LIMIT;
        return;
    }
    switch (type) {
    case LW_JSON_NULL: write_scalar(w, LW_STR("null"), YAML_PLAIN_SCALAR_STYLE); break;
    case LW_JSON_BOOL:
        write_scalar(w, lw_node_bool(node) ? LW_STR("true") : LW_STR("false"),
                     YAML_PLAIN_SCALAR_STYLE);
        break;
    case LW_JSON_NUMBER: write_number(w, lw_node_text(node)); break;
    case LW_JSON_STRING: write_string(w, lw_node_text(node), false); break;
    case LW_JSON_ARRAY: write_array(w, node, depth - 1); break;
    case LW_JSON_OBJECT: write_object(w, node, depth - 1); break;
    }
}

static void write_document(writer *w, const lw_node *node)
{
    yaml_event_t event;
    emit(w, &event, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING));
    emit(w, &event, yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1));
    write_node(w, node, LW_TREE_DEPTH);
    emit(w, &event, yaml_document_end_event_initialize(&event, 1));
    /* The end is implicit: otherwise "..." would follow a "|+" at the end. The caller writes the
     * marker of the next document. */
    w->yaml.open_ended = 0;
    emit(w, &event, yaml_stream_end_event_initialize(&event));
}

lw_status lw_yaml_write(lw_buf *out, const lw_node *node)
{
    writer w = { .out = out, .st = out->st };
    if (w.st < 0)
        return w.st;
    if (!yaml_emitter_initialize(&w.yaml))
        return LW_ERR_NOMEM;
    yaml_emitter_set_output(&w.yaml, append_output, out);
    yaml_emitter_set_unicode(&w.yaml, 1);
    yaml_emitter_set_width(&w.yaml, WIDTH);
    write_document(&w, node);
    yaml_emitter_delete(&w.yaml);
    return w.st;
}
