/* SPDX-License-Identifier: Apache-2.0 */
/* relist_reason.c -- names of the reasons of a relist. */
#include <listwatch/stats.h>

const char *lw_relist_reason_name(lw_relist_reason reason)
{
    switch (reason) {
    case LW_RELIST_NONE: return "none";
    case LW_RELIST_EXPIRED: return "expired";
    case LW_RELIST_TOO_LARGE: return "too-large-resource-version";
    case LW_RELIST_ERROR: return "error";
    case LW_RELIST_SHORT_WATCH: return "short-watch";
    case LW_RELIST_MALFORMED: return "malformed";
    case LW_RELIST_STORE: return "store";
    }
    return "unknown";
}
