/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_hook_reply.c -- replies of admission webhooks: any input is read, or refused with a reason.
 *
 * The first byte selects the version and the type of the webhook, the rest is the reply. */
#include "fuzz/fuzz.h"

#include <stdlib.h>

#include "api/webhooks/plain_reply.h"
#include "api/webhooks/reply.h"
#include "base/str.h"
#include "json/patch.h"

/* A plain reply is what a reply is that allows and says nothing else: with a member more, which
 * makes it not plain, it is read to the same result. */
static void check_plain(lw_str json)
{
    lw_hook_reply reply;
    lw_buf text, why;
    if (!lw_hook_reply_is_plain(json, LW_STR("u")))
        return;
    lw_buf_init(&text, 1 << 20);
    lw_buf_init(&why, 1 << 20);
    lw_str rest = lw_str_skip(lw_str_trim(json), 1);
    lw_buf_append_text(&text, "{\"\\u0061\":0,");
    lw_buf_append_str(&text, rest);
    if (text.st == LW_OK &&
        (lw_hook_reply_is_plain(lw_buf_view(&text), LW_STR("u")) ||
         lw_hook_reply_read(&reply, lw_buf_view(&text), LW_HOOK_V1, true, LW_STR("u"), &why) < 0 ||
         !reply.is_allowed || reply.warnings || reply.annotations ||
         lw_hook_reply_read_patch(&reply, &why) < 0 || reply.patch))
        abort();
    if (text.st == LW_OK)
        lw_hook_reply_done(&reply);
    lw_buf_done(&text);
    lw_buf_done(&why);
}

static void use(lw_hook_reply *reply, lw_buf *why)
{
    lw_api_status status;
    lw_tree *object = NULL;
    if (!reply->is_allowed) {
        lw_hook_refusal(&status, LW_STR("h.example.com"), reply->status);
        if (status.code < 400 || status.code > 599)
            abort();
        lw_api_status_done(&status);
        return;
    }
    if (lw_hook_reply_read_patch(reply, why) < 0) {
        if (why->len == 0)
            abort();
        return;
    }
    if (reply->patch &&
        lw_tree_parse(&object, LW_STR("{\"data\":{\"a\":\"b\"}}"), 0, NULL) == LW_OK)
        (void)lw_json_patch_apply(object, lw_tree_root(reply->patch), NULL);
    lw_tree_free(object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_hook_reply reply;
    lw_buf why;
    if (size == 0)
        return 0;
    check_plain(lw_str_make((const char *)data + 1, size - 1));
    lw_buf_init(&why, 1 << 20);
    lw_status st = lw_hook_reply_read(&reply, lw_str_make((const char *)data + 1, size - 1),
                                      data[0] & 1 ? LW_HOOK_V1 : LW_HOOK_V1BETA1, data[0] & 2,
                                      LW_STR("u"), &why);
    if (st == LW_OK)
        use(&reply, &why);
    else if (why.len == 0)
        abort();
    lw_hook_reply_done(&reply);
    lw_buf_done(&why);
    return 0;
}
