/* SPDX-License-Identifier: Apache-2.0 */
/* printer.h -- writes objects as JSON or YAML for people, one by one or as one List.
 *
 * Each object is written at once, so a List of any length needs the memory of one object.  Objects
 * that have their kind from their list (list_reader.h) are written with it.  Only one thread at a
 * time may use a printer. */
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
    LW_PRINT_YAML, /* as kubectl prints it; single objects are separated by "---" */
} lw_print_format;

/* Writes all |len| bytes, or returns a negative status with the reason in |err|.  May block. */
typedef lw_status (*lw_write_fn)(const char *bytes, size_t len, void *arg, lw_error *err);

typedef struct lw_printer_options {
    lw_print_format format;
    lw_write_fn write;
    void *arg;    /* for write */
    bool as_list; /* write all objects as one List */
} lw_printer_options;

typedef struct lw_printer lw_printer;

/* Make and free a printer.  LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_printer_new(lw_printer **out, const lw_printer_options *options,
                                              lw_error *err);
LW_API void lw_printer_free(lw_printer *printer);

/* Writes |obj|.  LW_ERR_NOMEM, LW_ERR_LIMIT (more than the 64 MiB that may be used to write one
 * object), or the status that |write| returned. */
LW_MUST_CHECK LW_API lw_status lw_printer_object(lw_printer *printer, const lw_object *obj,
                                                 lw_error *err);

/* Ends the output, and the List if there is one.  Errors as lw_printer_object. */
LW_MUST_CHECK LW_API lw_status lw_printer_finish(lw_printer *printer, lw_error *err);

LW_END_DECLS

#endif
