/* SPDX-License-Identifier: Apache-2.0 */
/* data_dir.h -- the default data directory of a server. */
#ifndef LISTWATCH_CLI_DATA_DIR_H
#define LISTWATCH_CLI_DATA_DIR_H

#include <stdbool.h>
#include <stddef.h>

/* Writes $XDG_STATE_HOME/listwatch or ~/.local/state/listwatch to |out|.  False: neither
 * $XDG_STATE_HOME nor $HOME is an absolute path, or |out| is too small. */
bool data_dir_find(char *out, size_t size);

#endif
