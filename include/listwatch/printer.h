/* SPDX-License-Identifier: Apache-2.0 */
/* printer.h -- objects as JSON or YAML for people, one after the other or as one List.
 *
 * Bytes leave as objects come, so a List of any length takes the memory of one object.  Objects
 * that have their kind from their list (list_reader.h) are printed with it.  One thread at a
 * time. */
#ifndef LISTWATCH_PRINTER_H
#define LISTWATCH_PRINTER_H

#include <stdbool.h>
#include <stddef.h>

#include <listwatch/api.h>
#include <listwatch/error.h>
#include <listwatch/object.h>

LW_BEGIN_DECLS

typedef enum lw_print_format {
    LW_PRINT_JSON, /* indented by two spaces */
    LW_PRINT_YAML, /* as kubectl prints it; single objects with "---" between them */
} lw_print_format;

/* Takes all |len| bytes, or says in |err| why not and returns a negative status.  May block. */
typedef lw_status (*lw_write_fn)(const char *bytes, size_t len, void *arg, lw_error *err);

typedef struct lw_printer_options {
    lw_print_format format;
    lw_write_fn write;
    void *arg;    /* for write */
    bool as_list; /* all objects go into one List */
} lw_printer_options;

typedef struct lw_printer lw_printer;

/* LW_ERR_NOMEM. */
LW_API lw_status lw_printer_new(lw_printer **out, const lw_printer_options *options, lw_error *err);
LW_API void lw_printer_free(lw_printer *printer);

/* Prints |obj|.  LW_ERR_NOMEM, LW_ERR_LIMIT (it does not fit into the 64 MiB a print may take), or
 * what |write| returned. */
LW_API lw_status lw_printer_object(lw_printer *printer, const lw_object *obj, lw_error *err);

/* Ends the List, if it is one.  Errors as above. */
LW_API lw_status lw_printer_finish(lw_printer *printer, lw_error *err);

LW_END_DECLS

#endif
