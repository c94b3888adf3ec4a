/* SPDX-License-Identifier: Apache-2.0 */
/* manifest_file.h -- reads the objects of a file one by one. */
#ifndef LISTWATCH_CLI_MANIFEST_FILE_H
#define LISTWATCH_CLI_MANIFEST_FILE_H

#include <stdbool.h>

#include <listwatch.h>

/* Receives one object of a file; |is_of_list|: the file contains a list.  A negative status ends
 * the reading. */
typedef lw_status (*manifest_object_fn)(const lw_object *obj, bool is_of_list, void *arg,
                                        lw_error *err);

/* Passes the objects of |file| ("-" is standard input) to |on_object|.  Sets |*has_list| (may be
 * NULL) to true if the file contains a list; otherwise leaves it unchanged.  LW_ERR_IO, the errors
 * of the manifest reader, or the status that |on_object| returned. */
lw_status manifest_file_read(const char *file, manifest_object_fn on_object, void *arg,
                             bool *has_list, lw_error *err);

/* Prints an error such as "listwatch get: web.yaml: byte 7: ..." to standard error. */
void manifest_file_complain(const char *command, const char *file, lw_status st,
                            const lw_error *err);

#endif
