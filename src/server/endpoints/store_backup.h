/* SPDX-License-Identifier: Apache-2.0 */
/* store_backup.h -- GET /debug/listwatch/backup: a backup of the store.
 *
 * A thread writes the backup to a file without a name in the temporary directory of the store's
 * data; then the loop of the connection sends it as fast as the client reads.  So neither a slow
 * client nor a large store delays anybody, and a client that does not read keeps no old pages of
 * the store in use.  One backup is made at a time. */
#ifndef LW_SERVER_ENDPOINTS_STORE_BACKUP_H
#define LW_SERVER_ENDPOINTS_STORE_BACKUP_H

#include "server/core/server_internal.h"

#define LW_STORE_BACKUP_PATH "/debug/listwatch/backup"

/* True if |user| may read everything in the store. */
bool lw_store_may_backup(const lw_user *user);

/* Serves the request: 200 with the backup, 403, 405, 429 (one is being made), 501 (the store has no
 * backups), 500 or 507. */
void lw_store_backup_serve(lw_server_parts *parts, lw_http_stream *stream, const lw_user *user);

/* Cancels the backup that is being made, and waits for its thread.  |parts->backups| may be NULL.
 */
void lw_store_backup_stop(lw_server_parts *parts);

#endif
