/* SPDX-License-Identifier: Apache-2.0 */
/* output.c -- prints objects to standard output in the requested format. */
#include "output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

struct output {
    output_format format;
    table *table;
    lw_printer *printer; /* NULL until it is known whether to print a List */
    lw_object *first;    /* the first object, held until then */
};

/* The errno of the first failure to write to standard output; 0: none. */
static int stdout_errno;

bool output_parse(const char *name, output_format *out)
{
    static const char *const names[] = { [OUTPUT_WIDE] = "wide",
                                         [OUTPUT_NAME] = "name",
                                         [OUTPUT_JSON] = "json",
                                         [OUTPUT_YAML] = "yaml" };
    for (int i = OUTPUT_WIDE; i <= OUTPUT_YAML; i++) {
        if (strcmp(name, names[i]) == 0) {
            *out = (output_format)i;
            return true;
        }
    }
    return false;
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

bool output_flush(const char *command)
{
    if (output_push())
        return true;
    if (stdout_errno != EPIPE)
        fprintf(stderr, "listwatch %s: standard output: %s\n", command, strerror(stdout_errno));
    return false;
}

static lw_status write_stdout(const char *bytes, size_t len, void *arg, lw_error *err)
{
    (void)arg;
    (void)err;
    (void)fwrite(bytes, 1, len, stdout);
    return output_works() ? LW_OK : LW_ERR_IO;
}

output *output_new(output_format format)
{
    output *out = calloc(1, sizeof(*out));
    if (!out)
        return NULL;
    out->format = format;
    if (format == OUTPUT_TABLE || format == OUTPUT_WIDE) {
        out->table = table_new(format == OUTPUT_WIDE);
        if (!out->table) {
            free(out);
            return NULL;
        }
    }
    return out;
}

void output_free(output *out)
{
    if (!out)
        return;
    lw_object_unref(out->first);
    lw_printer_free(out->printer);
    table_free(out->table);
    free(out);
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
        .format = out->format == OUTPUT_JSON ? LW_PRINT_JSON : LW_PRINT_YAML,
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

lw_status output_object(output *out, const lw_object *obj, bool is_of_list, lw_error *err)
{
    lw_status st = LW_OK;
    switch (out->format) {
    case OUTPUT_TABLE:
    case OUTPUT_WIDE: st = table_add(out->table, obj); break;
    case OUTPUT_NAME:
        output_name(obj);
        putchar('\n');
        break;
    case OUTPUT_JSON:
    case OUTPUT_YAML: st = print_document(out, obj, is_of_list, err); break;
    }
    return st == LW_OK && !output_works() ? LW_ERR_IO : st;
}

lw_status output_finish(output *out, bool is_list, lw_error *err)
{
    lw_status st = LW_OK;
    if (out->format == OUTPUT_JSON || out->format == OUTPUT_YAML) {
        if (!out->printer)
            st = start_printer(out, is_list || !out->first, err);
        if (st == LW_OK)
            st = lw_printer_finish(out->printer, err);
    } else if (out->table && table_finish(out->table) == 0) {
        fputs("No objects found.\n", stderr);
    }
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
