/* SPDX-License-Identifier: Apache-2.0 */
/* manifest_file.h -- reads the objects of files, directories and URLs one by one. */
#ifndef LISTWATCH_CLI_MANIFEST_FILE_H
#define LISTWATCH_CLI_MANIFEST_FILE_H

#include <stdbool.h>

#include <listwatch.h>

#include "arguments.h"

/* Receives one object of a file; |is_of_list|: the file contains a list.  A negative status ends
 * the reading; LW_ERR_STOPPED means that the error has already been printed. */
typedef lw_status (*manifest_object_fn)(const lw_object *obj, bool is_of_list, void *arg,
                                        lw_error *err);

/* Passes the objects of all files of -f to |on_object|: of a file, of standard input ("-"), of a
 * URL, or of the files *.json, *.yaml and *.yml in a directory.  Sets |*has_list| (may be NULL) to
 * true if there is a list; otherwise leaves it unchanged.  Returns false after it has printed an
 * error; the files before it have been read. */
bool manifest_files_read(const arguments *args, manifest_object_fn on_object, void *arg,
                         bool *has_list);

#endif
