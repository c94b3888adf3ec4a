/* SPDX-License-Identifier: Apache-2.0 */
/* deletion_policies.h -- validating admission policies that match a deletion. */
#ifndef LW_API_WRITE_DELETION_POLICIES_H
#define LW_API_WRITE_DELETION_POLICIES_H

#include "api/write/write.h"

/* Returns true if no policy denies the deletion of write->current.  False: write->status has the
 * reason. */
bool lw_policies_admit_delete(lw_write *write);

#endif
