/* SPDX-License-Identifier: Apache-2.0 */
/* message_owner.c -- finds the owner that controls an object in its message. */
#include "schema/message/message_parts.h"

#include "base/str.h"
#include "schema/proto/proto_wire.h"
#include "json/text.h"

/* The numbers of the fields, which are the same for all kinds: of an object, ... */
enum {
    METADATA = 1,
};
/* ... of its metadata, ... */
enum {
    OWNER_REFERENCES = 13,
};
/* ... and of a reference. */
enum {
    KIND = 1,
    NAME = 3,
    UID = 4,
    API_VERSION = 5,
    CONTROLLER = 6,
};

/* Reads |reference|; false: it is not that of the controller. */
static bool read_reference(lw_str reference, lw_owner_reference *out)
{
    lw_proto_reader from = { reference, NULL };
    lw_proto_item item;
    bool is_controller = false;
    *out = (lw_owner_reference){ LW_STR(""), LW_STR(""), LW_STR(""), LW_STR("") };
    while (lw_proto_next(&from, &item)) {
        switch (item.number) {
        case KIND: out->kind = item.bytes; break;
        case NAME: out->name = item.bytes; break;
        case UID: out->uid = item.bytes; break;
        case API_VERSION: out->api_version = item.bytes; break;
        case CONTROLLER: is_controller = item.value != 0; break;
        default: break;
        }
    }
    return is_controller;
}

/* What is not UTF-8 is replaced in JSON. */
static bool is_text(const lw_owner_reference *owner)
{
    return lw_utf8_is_valid(owner->kind) && lw_utf8_is_valid(owner->name) &&
           lw_utf8_is_valid(owner->uid) && lw_utf8_is_valid(owner->api_version);
}

lw_status lw_message__controller(lw_str message, lw_owner_reference *out)
{
    lw_proto_reader from = { message, NULL };
    lw_proto_item item;
    lw_str metadata = LW_STR("");
    while (lw_proto_next(&from, &item)) {
        if (item.number == METADATA)
            metadata = item.bytes; /* of fields that occur twice the last one counts */
    }
    from = (lw_proto_reader){ lw_proto_skip_others(metadata, OWNER_REFERENCES), NULL };
    while (lw_proto_next(&from, &item)) {
        if (item.number == OWNER_REFERENCES && read_reference(item.bytes, out))
            return is_text(out) ? LW_OK : LW_ERR_UNSUPPORTED;
    }
    return LW_ERR_NOT_FOUND;
}
