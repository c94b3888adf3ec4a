/* SPDX-License-Identifier: Apache-2.0 */
/* manifest_file.h -- the objects of a file, one by one. */
#ifndef LISTWATCH_CLI_MANIFEST_FILE_H
#define LISTWATCH_CLI_MANIFEST_FILE_H

#include <stdbool.h>

#include <listwatch.h>

/* Gets an object of a file; |is_of_list|: the file holds a list.  A negative status ends it. */
typedef lw_status (*manifest_object_fn)(const lw_object *obj, bool is_of_list, void *arg,
                                        lw_error *err);

/* Hands the objects of |file| ("-": standard input) to |on_object|.  |has_list| (may be NULL) is
 * set where the file holds a list; else left alone.  LW_ERR_IO, what a manifest reader says of the
 * text, or what |on_object| returned. */
lw_status manifest_file_read(const char *file, manifest_object_fn on_object, void *arg,
                             bool *has_list, lw_error *err);

/* "listwatch get: web.yaml: byte 7: ..." on standard error. */
void manifest_file_complain(const char *command, const char *file, lw_status st,
                            const lw_error *err);

#endif
