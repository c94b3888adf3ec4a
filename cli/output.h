/* SPDX-License-Identifier: Apache-2.0 */
/* output.h -- prints objects to standard output in the requested format. */
#ifndef LISTWATCH_CLI_OUTPUT_H
#define LISTWATCH_CLI_OUTPUT_H

#include <stdbool.h>

#include <listwatch.h>

typedef enum output_format {
    OUTPUT_TABLE,
    OUTPUT_WIDE,
    OUTPUT_NAME,
    OUTPUT_JSON,
    OUTPUT_YAML,
} output_format;

/* Parses the value of -o; false: unknown format. */
bool output_parse(const char *name, output_format *out);

/* Prints a sequence of objects.  In JSON and YAML, a single object that is not part of a list is
 * printed as it is, everything else as one List. */
typedef struct output output;

/* Creates an output; NULL: out of memory. */
output *output_new(output_format format);
void output_free(output *out);

/* Prints |obj|; |is_of_list|: it was part of a list, so even a single object is printed as a List.
 * LW_ERR_IO: standard output failed, see output_flush.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status output_object(output *out, const lw_object *obj, bool is_of_list, lw_error *err);

/* Ends the table or the List.  |is_list|: print an empty or single result as a List, too. */
lw_status output_finish(output *out, bool is_list, lw_error *err);

/* Prints the name like kubectl, e.g. "deployment.apps/web", without a newline. */
void output_name(const lw_object *obj);

/* Prints |obj| alone, as YAML or as JSON on one line without a newline. */
lw_status output_document(const lw_object *obj, output_format format, lw_error *err);

/* Returns true while writing to standard output succeeds.  Call it soon after printing, while errno
 * is still that of the failure. */
bool output_works(void);

/* Flushes standard output; returns true while writing to it succeeds. */
bool output_push(void);

/* Flushes standard output; returns false if anything could not be written.  Then it has printed an
 * error for |command|, except when the reader has closed the pipe. */
bool output_flush(const char *command);

#endif
