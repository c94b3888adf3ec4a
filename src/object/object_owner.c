/* SPDX-License-Identifier: Apache-2.0 */
/* object_owner.c -- finds the owner that controls an object. */
#include <listwatch/object.h>
#include <listwatch/object_iter.h>

#include <string.h>

#include "base/str.h"
#include "object/object_body.h"
#include "object/object_kept.h"

/* Returns the text of the string at |item|; empty if it is none, or memory ran out.  Only one with
 * escapes is decoded and kept with the object. */
static lw_str text_of(const lw_iter *item)
{
    lw_str text;
    if (item->json.len < 2 || item->json.ptr[0] != '"')
        return LW_STR("");
    if (!memchr(item->json.ptr, '\\', item->json.len))
        return lw_str_make(item->json.ptr + 1, item->json.len - 2);
    return lw_object__decode(item->object, item->json, &text) < 0 ? LW_STR("") : text;
}

/* Reads a reference; false: it is not that of the controller. */
static bool read_reference(const lw_iter *reference, lw_owner_reference *out)
{
    bool is_controller = false;
    lw_iter member = lw_iter_enter(reference, "");
    *out = (lw_owner_reference){ LW_STR(""), LW_STR(""), LW_STR(""), LW_STR("") };
    while (lw_iter_next(&member)) {
        if (lw_str_equal(member.key, LW_STR("controller")))
            is_controller = lw_str_equal(member.json, LW_STR("true"));
        else if (lw_str_equal(member.key, LW_STR("apiVersion")))
            out->api_version = text_of(&member);
        else if (lw_str_equal(member.key, LW_STR("kind")))
            out->kind = text_of(&member);
        else if (lw_str_equal(member.key, LW_STR("name")))
            out->name = text_of(&member);
        else if (lw_str_equal(member.key, LW_STR("uid")))
            out->uid = text_of(&member);
    }
    return is_controller;
}

static bool find_in_json(const lw_object *obj, lw_owner_reference *out)
{
    lw_iter reference = lw_object_iter(obj, "/metadata/ownerReferences");
    while (lw_iter_next(&reference)) {
        if (read_reference(&reference, out))
            return true;
    }
    return false;
}

bool lw_object_controller(const lw_object *obj, lw_owner_reference *out)
{
    lw_status st = LW_ERR_UNSUPPORTED;
    lw_body body;
    /* The message of a packed object does not last as long as what is returned. */
    if (obj->is_message && !obj->is_packed && obj->message_ops->controller &&
        lw_body_open(obj, &body) == LW_OK) {
        st = body.ops->controller(body.message, out);
        lw_body_close(obj, &body);
    }
    return st == LW_ERR_UNSUPPORTED ? find_in_json(obj, out) : st == LW_OK;
}
