/* SPDX-License-Identifier: Apache-2.0 */
/* output.h -- objects on standard output in the format that was asked for. */
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

/* Reads what stands behind -o; false: no such format. */
bool output_parse(const char *name, output_format *out);

/* Objects one after the other.  As JSON or YAML a single object that is part of no list is printed
 * as itself, everything else as one List. */
typedef struct output output;

/* NULL: out of memory. */
output *output_new(output_format format);
void output_free(output *out);

/* Shows |obj|; |is_of_list|: it came in a list, so that even alone it is printed as one.
 * LW_ERR_IO: standard output takes no more; output_flush says why.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status output_object(output *out, const lw_object *obj, bool is_of_list, lw_error *err);

/* Ends the table or the List.  |is_list|: an empty result, and a single object too, is a list. */
lw_status output_finish(output *out, bool is_list, lw_error *err);

/* "deployment.apps/web", as kubectl prints it, without a newline. */
void output_name(const lw_object *obj);

/* Prints |obj| alone, as JSON in one line and without its newline, or as YAML. */
lw_status output_document(const lw_object *obj, output_format format, lw_error *err);

/* True while standard output takes what it is given.  To be asked soon after printing, while errno
 * still says why it does not. */
bool output_works(void);

/* Sends what was printed on its way.  True while standard output takes it. */
bool output_push(void);

/* True when everything that was printed has left.  Else it complains for |command|, unless whoever
 * read has gone: then a word would be too much. */
bool output_flush(const char *command);

#endif
