/* SPDX-License-Identifier: Apache-2.0 */
/* output.c -- prints objects to standard output in the requested format.
 *
 * Tables, names, JSON and YAML are printed while the objects come.  All objects are held until the
 * end for --sort-by, and for a JSONPath, which is evaluated for the whole result. */
#include "output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "jsonpath.h"
#include "message.h"
#include "sorter.h"
#include "table.h"
#include "text.h"

struct output {
    const output_choice *choice;
    size_t count;
    grid *grid;           /* OUTPUT_TABLE, OUTPUT_WIDE, OUTPUT_COLUMNS */
    columns *columns;     /* OUTPUT_COLUMNS */
    jsonpath *path;       /* OUTPUT_JSONPATH */
    sorter *sorter;       /* --sort-by */
    lw_object_list *held; /* objects that are printed at the end; NULL: none are held */
    bool has_list;        /* an object of a list is held */
    lw_printer *printer;  /* NULL until it is known whether to print a List */
    lw_object *first;     /* the first object, held until then */
};

/* The errno of the first failure to write to standard output; 0: none. */
static int stdout_errno;

static bool parse_expression(output_choice *choice, const char *name, lw_error *err)
{
    static const char jsonpath_name[] = "jsonpath=", columns_name[] = "custom-columns=";
    jsonpath *path = NULL;
    columns *parsed = NULL;
    lw_status st = LW_ERR_INVALID;
    if (strncmp(name, jsonpath_name, sizeof(jsonpath_name) - 1) == 0) {
        choice->format = OUTPUT_JSONPATH;
        choice->expression = name + sizeof(jsonpath_name) - 1;
        st = jsonpath_parse(&path, choice->expression, err);
    } else if (strncmp(name, columns_name, sizeof(columns_name) - 1) == 0) {
        choice->format = OUTPUT_COLUMNS;
        choice->expression = name + sizeof(columns_name) - 1;
        st = columns_parse(&parsed, choice->expression, err);
    } else {
        (void)snprintf(err->message, sizeof(err->message),
                       "unknown output format \"%.100s\"; use name, json, yaml, wide, "
                       "jsonpath=TEMPLATE or custom-columns=COLUMNS",
                       name);
    }
    jsonpath_free(path);
    columns_free(parsed);
    return st == LW_OK;
}

bool output_parse(const char *name, output_choice *out, lw_error *err)
{
    static const char *const names[] = { [OUTPUT_WIDE] = "wide",
                                         [OUTPUT_NAME] = "name",
                                         [OUTPUT_JSON] = "json",
                                         [OUTPUT_YAML] = "yaml" };
    for (int i = OUTPUT_WIDE; i <= OUTPUT_YAML; i++) {
        if (strcmp(name, names[i]) == 0) {
            out->format = (output_format)i;
            return true;
        }
    }
    return parse_expression(out, name, err);
}

bool output_works(void)
{
    if (stdout_errno == 0 && ferror(stdout))
        stdout_errno = errno ? errno : EIO;
    return stdout_errno == 0;
}

bool output_push(void)
{
    (void)fflush(stdout);
    return output_works();
}

bool output_flush(void)
{
    if (output_push())
        return true;
    if (stdout_errno != EPIPE)
        message("standard output: %s", strerror(stdout_errno));
    return false;
}

static lw_status write_stdout(const char *bytes, size_t len, void *arg, lw_error *err)
{
    (void)arg;
    (void)err;
    (void)fwrite(bytes, 1, len, stdout);
    return output_works() ? LW_OK : LW_ERR_IO;
}

static lw_status start_grid(output *out)
{
    out->grid = grid_new(out->choice->has_no_headers);
    if (!out->grid)
        return LW_ERR_NOMEM;
    return out->columns ? columns_begin(out->columns, out->grid)
                        : table_add_columns(out->grid, out->choice->format == OUTPUT_WIDE);
}

static lw_status make_parts(output *out, lw_error *err)
{
    const output_choice *choice = out->choice;
    lw_status st = LW_OK;
    if (choice->format == OUTPUT_COLUMNS)
        st = columns_parse(&out->columns, choice->expression, err);
    if (st == LW_OK && choice->format == OUTPUT_JSONPATH)
        st = jsonpath_parse(&out->path, choice->expression, err);
    if (st == LW_OK && choice->sort_by)
        st = sorter_new(&out->sorter, choice->sort_by, err);
    if (st == LW_OK && (out->path || out->sorter))
        st = lw_object_list_new(&out->held, 0);
    if (st == LW_OK && (output_is_table(choice) || out->columns))
        st = start_grid(out);
    return st;
}

lw_status output_new(output **made, const output_choice *choice, lw_error *err)
{
    output *out = calloc(1, sizeof(*out));
    if (!out)
        return LW_ERR_NOMEM;
    out->choice = choice;
    lw_status st = make_parts(out, err);
    if (st < 0) {
        output_free(out);
        return st;
    }
    *made = out;
    return LW_OK;
}

void output_free(output *out)
{
    if (!out)
        return;
    lw_object_unref(out->first);
    lw_object_list_free(out->held);
    lw_printer_free(out->printer);
    sorter_free(out->sorter);
    jsonpath_free(out->path);
    columns_free(out->columns);
    grid_free(out->grid);
    free(out);
}

size_t output_count(const output *out)
{
    return out->count;
}

void output_name(const lw_object *obj)
{
    const char *api_version = lw_object_api_version(obj);
    const char *slash = strchr(api_version, '/');
    for (const char *c = lw_object_kind(obj); *c; c++) {
        char lower[2] = { *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c, '\0' };
        print_plain(lower);
    }
    if (slash && slash != api_version) {
        putchar('.');
        for (const char *c = api_version; c < slash; c++)
            print_plain((const char[]){ *c, '\0' });
    }
    if (lw_object_kind(obj)[0])
        putchar('/');
    print_plain(lw_object_name(obj));
}

static lw_status start_printer(output *out, bool as_list, lw_error *err)
{
    lw_printer_options options = {
        .format = out->choice->format == OUTPUT_JSON ? LW_PRINT_JSON : LW_PRINT_YAML,
        .write = write_stdout,
        .as_list = as_list,
    };
    lw_status st = lw_printer_new(&out->printer, &options, err);
    if (st == LW_OK && out->first)
        st = lw_printer_object(out->printer, out->first, err);
    lw_object_unref(out->first);
    out->first = NULL;
    return st;
}

/* Holds the first object that is not part of a list until it is known whether there is another
 * one. */
static lw_status print_document(output *out, const lw_object *obj, bool is_of_list, lw_error *err)
{
    if (!out->printer && !out->first && !is_of_list) {
        out->first = lw_object_ref(obj);
        return LW_OK;
    }
    lw_status st = out->printer ? LW_OK : start_printer(out, true, err);
    return st < 0 ? st : lw_printer_object(out->printer, obj, err);
}

static lw_status print_object(output *out, const lw_object *obj, bool is_of_list, lw_error *err)
{
    lw_status st = LW_OK;
    switch (out->choice->format) {
    case OUTPUT_TABLE:
    case OUTPUT_WIDE:
        st = table_add_object(out->grid, obj, out->choice->format == OUTPUT_WIDE);
        break;
    case OUTPUT_NAME:
        output_name(obj);
        putchar('\n');
        break;
    case OUTPUT_JSON:
    case OUTPUT_YAML: st = print_document(out, obj, is_of_list, err); break;
    case OUTPUT_COLUMNS: st = columns_add(out->columns, out->grid, obj, err); break;
    case OUTPUT_JSONPATH: break; /* held until the end */
    }
    return st == LW_OK && !output_works() ? LW_ERR_IO : st;
}

static lw_status hold(output *out, const lw_object *obj, lw_error *err)
{
    lw_document *doc = NULL;
    lw_status st = lw_object_list_append(out->held, obj);
    if (st == LW_OK && out->sorter) {
        st = lw_document_from_object(&doc, obj, err);
        if (st == LW_OK)
            st = sorter_add(out->sorter, doc, NULL, err);
        lw_document_free(doc);
    }
    return st;
}

lw_status output_object(output *out, const lw_object *obj, bool is_of_list, lw_error *err)
{
    out->count++;
    if (!out->held)
        return print_object(out, obj, is_of_list, err);
    out->has_list = out->has_list || is_of_list;
    return hold(out, obj, err);
}

static const lw_object *held_at(const output *out, size_t index)
{
    return lw_object_list_at(out->held, out->sorter ? sorter_at(out->sorter, index) : index);
}

static lw_status write_path(const char *bytes, size_t len, void *arg)
{
    return write_stdout(bytes, len, arg, NULL);
}

/* Adds the JSON of an object, with the kind that it has from its list. */
static lw_status add_json(text_buf *to, const lw_object *obj, lw_error *err)
{
    lw_document *doc = NULL;
    lw_str json;
    lw_status st = lw_document_from_object(&doc, obj, err);
    if (st == LW_OK)
        st = lw_document_json(doc, NULL, &json, err);
    if (st == LW_OK)
        text_add_bytes(to, json.ptr, json.len);
    lw_document_free(doc);
    return st < 0 ? st : text_status(to);
}

static lw_status print_path(output *out, bool is_list, lw_error *err)
{
    text_buf json = { 0 };
    lw_document *doc = NULL;
    lw_status st = LW_OK;
    size_t count = lw_object_list_count(out->held);
    if (is_list)
        text_add(&json, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"metadata\":{},\"items\":[");
    for (size_t i = 0; st == LW_OK && i < count; i++) {
        if (i > 0)
            text_add(&json, ",");
        st = add_json(&json, held_at(out, i), err);
    }
    if (is_list)
        text_add(&json, "]}");
    if (st == LW_OK)
        st = text_status(&json);
    if (st == LW_OK && json.len > 0)
        st = lw_document_from_json(&doc, json.at, json.len, err);
    if (st == LW_OK && doc)
        st = jsonpath_write(out->path, doc, write_path, NULL, err);
    lw_document_free(doc);
    text_done(&json);
    return st;
}

static lw_status print_held(output *out, bool is_list, lw_error *err)
{
    size_t count = lw_object_list_count(out->held);
    lw_status st = LW_OK;
    if (out->sorter)
        sorter_sort(out->sorter);
    if (out->path)
        return print_path(out, is_list || out->has_list || count != 1, err);
    for (size_t i = 0; st == LW_OK && i < count; i++)
        st = print_object(out, held_at(out, i), out->has_list, err);
    return st;
}

lw_status output_finish(output *out, bool is_list, lw_error *err)
{
    lw_status st = out->held ? print_held(out, is_list, err) : LW_OK;
    output_format format = out->choice->format;
    if (st == LW_OK && (format == OUTPUT_JSON || format == OUTPUT_YAML)) {
        if (!out->printer)
            st = start_printer(out, is_list || !out->first, err);
        if (st == LW_OK)
            st = lw_printer_finish(out->printer, err);
    }
    if (out->grid)
        grid_flush(out->grid);
    return st;
}

/* Turns indented JSON into one line: strings contain no unescaped newline, so everything after a
 * newline is indentation. */
static lw_status write_squeezed(const char *bytes, size_t len, void *arg, lw_error *err)
{
    bool *is_indentation = arg;
    (void)err;
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] == '\n')
            *is_indentation = true;
        else if (bytes[i] != ' ')
            *is_indentation = false;
        if (!*is_indentation)
            putchar(bytes[i]);
    }
    return output_works() ? LW_OK : LW_ERR_IO;
}

lw_status output_document(const lw_object *obj, output_format format, lw_error *err)
{
    lw_printer *printer = NULL;
    bool is_indentation = false;
    lw_printer_options options = { .format = LW_PRINT_YAML, .write = write_stdout };
    if (format == OUTPUT_JSON) {
        options.format = LW_PRINT_JSON;
        options.write = write_squeezed;
        options.arg = &is_indentation;
    }
    lw_status st = lw_printer_new(&printer, &options, err);
    if (st == LW_OK)
        st = lw_printer_object(printer, obj, err);
    lw_printer_free(printer);
    return st;
}
