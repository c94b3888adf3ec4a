/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_reply_head.c -- heads of replies: the input is what a server sends, split into lines as curl
 * does.  For any input the limits hold, and a head becomes complete once, and only with a final
 * status. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/str.h"
#include "fuzz/fuzz.h"
#include "transport/reply_head.h"

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check(const lw_transport_reply_head *head)
{
    must(head->bytes <= LW_REPLY_HEAD_MAX);
    must(head->content_type.len <= LW_REPLY_VALUE_MAX);
    must(head->retry_after.len <= LW_REPLY_VALUE_MAX);
    must(head->status == 0 || (head->status >= 100 && head->status <= 999));
    must(!head->is_complete || head->status >= 200);
    int seconds = lw_retry_after_s(lw_reply_value_view(&head->retry_after),
                                   INT64_C(1700000000) * LW_NS_PER_S);
    must(seconds >= 0 && seconds <= LW_RETRY_AFTER_MAX_S);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_transport_reply_head head = { 0 };
    lw_str rest = lw_str_make((const char *)data, size), line;
    unsigned completed = 0;
    while (rest.len > 0) {
        (void)lw_str_cut(rest, '\n', &line, &rest);
        lw_head_step step = lw_transport_reply_head_take(&head, line);
        completed += step == LW_HEAD_COMPLETE;
        check(&head);
        if (step == LW_HEAD_INVALID)
            break;
    }
    must(completed == head.is_complete);
    return 0;
}
