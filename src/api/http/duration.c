/* SPDX-License-Identifier: Apache-2.0 */
/* duration.c -- the error messages of Go's time.ParseDuration. */
#include "api/http/duration.h"

#include "base/text/duration.h"
#include "object/quote.h"

bool lw_duration_parse(lw_str text, int64_t *ns, lw_buf *message)
{
    lw_str unit;
    switch (lw_go_duration_parse(text, ns, &unit)) {
    case LW_GO_DURATION_OK: return true;
    case LW_GO_DURATION_INVALID: lw_buf_append_text(message, "time: invalid duration "); break;
    case LW_GO_DURATION_NO_UNIT:
        lw_buf_append_text(message, "time: missing unit in duration ");
        break;
    case LW_GO_DURATION_UNKNOWN_UNIT:
        lw_buf_append_text(message, "time: unknown unit ");
        lw_quote_append(message, unit);
        lw_buf_append_text(message, " in duration ");
        break;
    }
    lw_quote_append(message, text);
    return false;
}
