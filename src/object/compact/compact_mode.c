/* SPDX-License-Identifier: Apache-2.0 */
/* compact_mode.c -- the option "compact". */
#include <string.h>

#include "base/error.h"
#include "object/compact/compact.h"

lw_status lw_compact_mode_read(const char *text, lw_compact_mode fallback, lw_compact_mode *out,
                               lw_error *err)
{
    static const char *const names[] = {
        [LW_COMPACT_AUTO] = "auto", [LW_COMPACT_ON] = "on", [LW_COMPACT_OFF] = "off"
    };
    *out = fallback;
    if (!text)
        return LW_OK;
    for (int i = LW_COMPACT_AUTO; i <= LW_COMPACT_OFF; i++) {
        if (strcmp(text, names[i]) == 0) {
            *out = (lw_compact_mode)i;
            return LW_OK;
        }
    }
    return lw_error_set(err, LW_ERR_INVALID,
                        "\"%s\" is not a value of compact; use \"auto\", \"on\" or \"off\"", text);
}
