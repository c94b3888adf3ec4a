/* SPDX-License-Identifier: Apache-2.0 */
/* list_metadata.c -- the metadata of a list, in one block of strings. */
#include <string.h>

#include "base/alloc.h"
#include "object/object_list.h"
#include "json/text.h"

void lw_list_metadata__init(lw_list_metadata_copy *copy)
{
    *copy = (lw_list_metadata_copy){
        .view = { .api_version = "",
                  .kind = "",
                  .resource_version = "",
                  .continue_token = "",
                  .remaining_item_count = -1 },
    };
}

void lw_list_metadata__done(lw_list_metadata_copy *copy)
{
    lw_free(copy->block);
    lw_list_metadata__init(copy);
}

/* Copies |text|, decoded if |is_escaped|, to |*at| and advances it. */
static const char *put_text(char **at, lw_str text, bool is_escaped)
{
    char *start = *at;
    size_t len = text.len;
    if (is_escaped)
        len = lw_json_unescape(start, text);
    else if (len > 0)
        memcpy(start, text.ptr, len);
    start[len] = '\0';
    *at += len + 1;
    return start;
}

lw_status lw_list_metadata__set(lw_list_metadata_copy *copy, const lw_list_metadata *metadata)
{
    const lw_str texts[] = { lw_str_of(metadata->api_version), lw_str_of(metadata->kind),
                             lw_str_of(metadata->resource_version),
                             lw_str_of(metadata->continue_token) };
    size_t size = 0;
    for (size_t i = 0; i < 4; i++)
        size += texts[i].len + 1;
    char *block = lw_alloc(size), *at = block;
    if (!block)
        return LW_ERR_NOMEM;
    lw_list_metadata view = {
        .api_version = put_text(&at, texts[0], false),
        .kind = put_text(&at, texts[1], false),
        .resource_version = put_text(&at, texts[2], false),
        .continue_token = put_text(&at, texts[3], false),
        .remaining_item_count = metadata->remaining_item_count,
    };
    lw_free(copy->block);
    *copy = (lw_list_metadata_copy){ .view = view, .block = block };
    return LW_OK;
}

static const char *put_scanned(char **at, const lw_scan_envelope *envelope, lw_scan_text text)
{
    lw_str raw = text.is_present ? lw_str_make(envelope->json.ptr + text.at, text.len)
                                 : lw_str_make(NULL, 0);
    return put_text(at, raw, text.is_escaped);
}

lw_status lw_list_metadata__read(lw_list_metadata_copy *copy, const lw_scan_envelope *envelope)
{
    size_t size = (size_t)envelope->api_version.len + envelope->kind.len +
                  envelope->resource_version.len + envelope->continue_token.len + 4;
    char *block = lw_alloc(size), *at = block;
    if (!block)
        return LW_ERR_NOMEM;
    lw_list_metadata view = {
        .api_version = put_scanned(&at, envelope, envelope->api_version),
        .kind = put_scanned(&at, envelope, envelope->kind),
        .resource_version = put_scanned(&at, envelope, envelope->resource_version),
        .continue_token = put_scanned(&at, envelope, envelope->continue_token),
        .remaining_item_count = envelope->remaining_item_count,
    };
    lw_free(copy->block);
    *copy = (lw_list_metadata_copy){ .view = view, .block = block };
    return LW_OK;
}
