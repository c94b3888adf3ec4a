/* SPDX-License-Identifier: Apache-2.0 */
/* printer.c -- formats objects for people.
 *
 * A List is its beginning, each object, and its end; only the current object is in memory. */
#include <listwatch/printer.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "json/tree.h"
#include "json/writer.h"
#include "json/yaml/yaml.h"

enum {
    PRINT_LIMIT = 64 * 1024 * 1024, /* bytes of one formatted object */
};

struct lw_printer {
    lw_printer_options options;
    lw_buf out;
    lw_buf typed; /* JSON of an object with its kind added */
    lw_json_writer writer;
    bool is_begun; /* an object was printed, or the List was begun */
};

lw_status lw_printer_new(lw_printer **out, const lw_printer_options *options, lw_error *err)
{
    lw_printer *printer = lw_alloc_zero(1, sizeof(*printer));
    if (!printer)
        return lw_error_nomem(err);
    printer->options = *options;
    lw_buf_init(&printer->out, PRINT_LIMIT);
    lw_buf_init(&printer->typed, PRINT_LIMIT);
    lw_json_writer_init(&printer->writer, &printer->out, LW_JSON_INDENTED);
    *out = printer;
    return LW_OK;
}

void lw_printer_free(lw_printer *printer)
{
    if (!printer)
        return;
    lw_buf_done(&printer->out);
    lw_buf_done(&printer->typed);
    lw_free(printer);
}

static lw_status print_failed(lw_status st, lw_error *err)
{
    if (st == LW_ERR_NOMEM)
        return lw_error_nomem(err);
    return lw_error_set(err, st, "the object is too large or nested too deeply to print");
}

/* Writes the formatted text. */
static lw_status printer_flush(lw_printer *printer, lw_error *err)
{
    lw_status st = lw_json_writer_status(&printer->writer);
    if (st < 0)
        return print_failed(st, err);
    if (printer->out.len > 0)
        st = printer->options.write(printer->out.data, printer->out.len, printer->options.arg, err);
    lw_buf_reset(&printer->out);
    return st;
}

/* Returns the JSON of |obj|, with apiVersion and kind first if it has them only from its list. */
static lw_str typed_json(lw_printer *printer, const lw_object *obj)
{
    lw_str json = lw_object_json(obj), found;
    lw_buf *typed = &printer->typed;
    if (lw_object_kind(obj)[0] == '\0' || lw_object_raw(obj, "/kind", &found) == LW_OK ||
        lw_object_raw(obj, "/apiVersion", &found) == LW_OK)
        return json;
    lw_json_writer w;
    lw_buf_reset(typed);
    lw_json_writer_init(&w, typed, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    lw_json_write_member_string(&w, "apiVersion", lw_str_of(lw_object_api_version(obj)));
    lw_json_write_member_string(&w, "kind", lw_str_of(lw_object_kind(obj)));
    if (lw_str_trim(lw_str_skip(json, 1)).len > 1)
        lw_buf_append_char(typed, ',');
    lw_buf_append_str(typed, lw_str_skip(json, 1));
    return lw_buf_view(typed);
}

/* Appends |json| as YAML, as an element of a list where |is_item|. */
static lw_status append_yaml(lw_buf *out, lw_str json, bool is_item, lw_error *err)
{
    lw_tree *tree = NULL;
    lw_status st = lw_tree_parse(&tree, json, 0, err);
    if (st < 0)
        return st;
    lw_node *node = lw_tree_root(tree);
    if (is_item) {
        lw_node *items = lw_tree_array(tree);
        lw_node_append(tree, items, node);
        node = items;
        st = lw_tree_status(tree);
    }
    if (st == LW_OK)
        st = lw_yaml_write(out, node);
    lw_tree_free(tree);
    return st < 0 ? print_failed(st, err) : LW_OK;
}

/* The members of a List are sorted by name, like in kubectl. */
static void begin_list(lw_printer *printer)
{
    if (printer->options.format == LW_PRINT_YAML) {
        lw_buf_append_text(&printer->out, "apiVersion: v1\nitems:");
        return;
    }
    lw_json_write_object_begin(&printer->writer);
    lw_json_write_member_string(&printer->writer, "apiVersion", LW_STR("v1"));
    lw_json_write_key(&printer->writer, LW_STR("items"));
    lw_json_write_array_begin(&printer->writer);
}

lw_status lw_printer_object(lw_printer *printer, const lw_object *obj, lw_error *err)
{
    bool is_list = printer->options.as_list, is_first = !printer->is_begun;
    if (is_first && is_list)
        begin_list(printer);
    printer->is_begun = true;
    lw_str json = typed_json(printer, obj);
    if (printer->typed.st < 0)
        return print_failed(printer->typed.st, err);
    if (json.len == 0) /* it could not be made */
        return print_failed(LW_ERR_NOMEM, err);
    if (printer->options.format == LW_PRINT_JSON) {
        lw_json_write_raw(&printer->writer, json);
        if (!is_list)
            lw_buf_append_char(&printer->out, '\n');
        return printer_flush(printer, err);
    }
    if (is_first && is_list)
        lw_buf_append_char(&printer->out, '\n');
    else if (!is_first && !is_list)
        lw_buf_append_text(&printer->out, "---\n");
    lw_status st = append_yaml(&printer->out, json, is_list, err);
    return st < 0 ? st : printer_flush(printer, err);
}

lw_status lw_printer_finish(lw_printer *printer, lw_error *err)
{
    if (!printer->options.as_list)
        return LW_OK;
    bool is_empty = !printer->is_begun;
    if (is_empty)
        begin_list(printer);
    printer->is_begun = true;
    if (printer->options.format == LW_PRINT_YAML) {
        lw_buf_append_text(&printer->out, is_empty ? " []\n" : "");
        lw_buf_append_text(&printer->out, "kind: List\nmetadata:\n  resourceVersion: \"\"\n");
        return printer_flush(printer, err);
    }
    lw_json_writer *w = &printer->writer;
    lw_json_write_array_end(w);
    lw_json_write_member_string(w, "kind", LW_STR("List"));
    lw_json_write_key(w, LW_STR("metadata"));
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "resourceVersion", LW_STR(""));
    lw_json_write_object_end(w);
    lw_json_write_object_end(w);
    lw_buf_append_char(&printer->out, '\n');
    return printer_flush(printer, err);
}
