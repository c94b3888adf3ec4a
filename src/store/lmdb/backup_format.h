/* SPDX-License-Identifier: Apache-2.0 */
/* backup_format.h -- the constants of a backup's format (backup.h). */
#ifndef LW_STORE_LMDB_BACKUP_FORMAT_H
#define LW_STORE_LMDB_BACKUP_FORMAT_H

#include "store/lmdb/format.h"

#define LW_BACKUP_MAGIC "listwatch backup"

enum {
    LW_BACKUP_MAGIC_SIZE = sizeof(LW_BACKUP_MAGIC) - 1,
    LW_BACKUP_HEAD_SIZE = LW_BACKUP_MAGIC_SIZE + 4 + LW_LMDB_STATE_SIZE,
};

#endif
