/* SPDX-License-Identifier: Apache-2.0 */
/* data_dir.h -- the data directory, and whether other users of the machine can get at it. */
#ifndef LW_SERVER_SETUP_DATA_DIR_H
#define LW_SERVER_SETUP_DATA_DIR_H

#include <listwatch/error.h>

/* Creates |path| (0700) if it does not exist, and checks it as sshd checks its files: the
 * directory, its parts and the keys and certificates must belong to the user of this process or to
 * root; nobody else may write to them; and nobody else may read the keys and the token.  A symbolic
 * link must belong to the same users, and what it points to is checked.  LW_ERR_IO names the file
 * and the command that corrects it; LW_ERR_NOMEM. */
lw_status lw_data_dir_open(const char *path, lw_error *err);

#endif
