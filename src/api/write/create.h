/* SPDX-License-Identifier: Apache-2.0 */
/* create.h -- what every request that may make an object ends with. */
#ifndef LW_API_WRITE_CREATE_H
#define LW_API_WRITE_CREATE_H

#include "api/write/write.h"

/* Answers a write of a write call.  What its object belongs to may have been purged while the
 * object was on its way into it: then it is purged again. */
void lw_rest_create_done(lw_write *write);

#endif
