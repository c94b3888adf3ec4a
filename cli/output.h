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
    OUTPUT_JSONPATH,
    OUTPUT_COLUMNS,
} output_format;

/* The options about output.  The strings belong to the command line. */
typedef struct output_choice {
    output_format format;
    const char *expression;    /* of jsonpath= and custom-columns= */
    const char *sort_by;       /* a JSONPath; NULL: not given */
    const char *label_columns; /* labels that get a column, separated by commas; NULL: none */
    bool shows_labels;
    bool has_no_headers;
} output_choice;

/* Parses the value of -o.  False: it is invalid, for the reason in |err|. */
bool output_parse(const char *name, output_choice *out, lw_error *err);

/* Returns true if the format is a table of the columns that the server has for the resource. */
static inline bool output_is_table(const output_choice *choice)
{
    return choice->format == OUTPUT_TABLE || choice->format == OUTPUT_WIDE;
}

/* Prints a sequence of objects.  In JSON and YAML, a single object that is not part of a list is
 * printed as it is, everything else as one List; a JSONPath is evaluated for the same document. */
typedef struct output output;

/* Creates an output; |choice| must outlive it.  LW_ERR_NOMEM; LW_ERR_SYNTAX: an expression is
 * malformed. */
lw_status output_new(output **out, const output_choice *choice, lw_error *err);
void output_free(output *out);

/* Prints |obj|, or holds it until output_finish; |is_of_list|: it was part of a list, so even a
 * single object is printed as a List.  LW_ERR_IO: standard output failed, see output_flush.
 * LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status output_object(output *out, const lw_object *obj, bool is_of_list, lw_error *err);

/* Ends the table or the List.  |is_list|: print an empty or single result as a List, too. */
lw_status output_finish(output *out, bool is_list, lw_error *err);

/* Returns the number of objects so far. */
size_t output_count(const output *out);

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
 * error, except when the reader has closed the pipe. */
bool output_flush(void);

#endif
