/* SPDX-License-Identifier: Apache-2.0 */
/* plain_reply.c -- recognizes plain replies in one pass, without a tree.
 *
 * Whatever is unusual makes a reply not plain: escapes in names, null, a wrong value even if the
 * right one follows under the same name. */
#include "api/webhooks/plain_reply.h"

#include <string.h>

#include "base/str.h"
#include "json/cursor.h"
#include "json/scan.h"
#include "json/tree.h"

enum {
    PLAIN_MAX = 64 * 1024, /* bytes; a larger reply may exceed the limit of a tree */
};

/* What a member says: nothing, or a bit of those that must be there with the right value. */
enum {
    HAS_UID = 1 << 0,
    HAS_ALLOWED = 1 << 1,
    HAS_KIND = 1 << 2,
    HAS_VERSION = 1 << 3,
    HAS_RESPONSE = 1 << 4,
    HAS_MORE = 1 << 5, /* the reply is not plain */

    PLAIN_RESPONSE = HAS_UID | HAS_ALLOWED,
    PLAIN_REVIEW = HAS_KIND | HAS_VERSION | HAS_RESPONSE,
};

typedef unsigned (*read_member_fn)(lw_json_cursor *c, lw_str key, lw_str uid);

static unsigned has_if(bool is_right, unsigned bit)
{
    return is_right ? bit : HAS_MORE;
}

static bool is_text(lw_json_cursor *c, lw_str wanted)
{
    return lw_json_cursor_type(c) == LW_JSON_STRING &&
           lw_str_equal(lw_json_cursor_string(c), wanted);
}

static unsigned read_response_member(lw_json_cursor *c, lw_str key, lw_str uid)
{
    static const lw_str more[] = { LW_STR_INIT("patch"), LW_STR_INIT("patchType"),
                                   LW_STR_INIT("auditAnnotations"), LW_STR_INIT("warnings") };
    if (lw_str_equal(key, LW_STR("uid")))
        return has_if(is_text(c, uid), HAS_UID);
    if (lw_str_equal(key, LW_STR("allowed")))
        return has_if(lw_str_equal(lw_json_cursor_skip(c), LW_STR("true")), HAS_ALLOWED);
    for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
        if (lw_str_equal(key, more[i]))
            return HAS_MORE;
    }
    if (lw_str_equal(key, LW_STR("status")) && lw_json_cursor_type(c) != LW_JSON_OBJECT)
        return HAS_MORE;
    (void)lw_json_cursor_skip(c);
    return 0;
}

/* Returns what the members of the object at |c| say. */
static unsigned read_object(lw_json_cursor *c, lw_str uid, read_member_fn read_member)
{
    lw_str key;
    unsigned found = 0;
    if (lw_json_cursor_type(c) != LW_JSON_OBJECT)
        return HAS_MORE;
    lw_json_cursor_enter(c);
    while (lw_json_cursor_next_member(c, &key)) {
        if (key.len > 0 && memchr(key.ptr, '\\', key.len))
            return HAS_MORE;
        unsigned bit = read_member(c, key, uid);
        if (bit & HAS_MORE)
            return HAS_MORE;
        found |= bit;
    }
    return found;
}

static unsigned read_review_member(lw_json_cursor *c, lw_str key, lw_str uid)
{
    if (lw_str_equal(key, LW_STR("kind")))
        return has_if(is_text(c, LW_STR("AdmissionReview")), HAS_KIND);
    if (lw_str_equal(key, LW_STR("apiVersion")))
        return has_if(is_text(c, LW_STR("admission.k8s.io/v1")), HAS_VERSION);
    if (lw_str_equal(key, LW_STR("response")))
        return has_if(read_object(c, uid, read_response_member) == PLAIN_RESPONSE, HAS_RESPONSE);
    (void)lw_json_cursor_skip(c);
    return 0;
}

bool lw_hook_reply_is_plain(lw_str json, lw_str uid)
{
    if (json.len > PLAIN_MAX || lw_json_validate(json, LW_TREE_DEPTH, NULL) < 0)
        return false;
    lw_json_cursor c = lw_json_cursor_on(json);
    return read_object(&c, uid, read_review_member) == PLAIN_REVIEW;
}
