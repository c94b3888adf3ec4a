/* SPDX-License-Identifier: Apache-2.0 */
/* discovery_parts.c -- pieces of the documents. */
#include "schema/discovery/discovery_parts.h"

#include "base/str.h"

void lw_discovery_write_verbs(unsigned verbs, lw_json_writer *w)
{
    lw_json_write_array_begin(w);
    for (unsigned bit = 1; bit <= LW_VERB_WATCH; bit <<= 1) {
        if (verbs & bit)
            lw_json_write_string(w, lw_verb_name(bit));
    }
    lw_json_write_array_end(w);
}

void lw_discovery_write_names(const char *key, const lw_str *names, lw_json_writer *w)
{
    if (!names)
        return;
    lw_json_write_key(w, lw_str_of(key));
    lw_json_write_array_begin(w);
    for (; names->len > 0; names++)
        lw_json_write_string(w, *names);
    lw_json_write_array_end(w);
}

void lw_discovery_write_gvk(const char *key, lw_gvk gvk, lw_json_writer *w)
{
    lw_json_write_key(w, lw_str_of(key));
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "group", gvk.group);
    lw_json_write_member_string(w, "version", gvk.version);
    lw_json_write_member_string(w, "kind", gvk.kind);
    lw_json_write_object_end(w);
}

void lw_discovery_write_text(lw_buf *text, lw_json_writer *w)
{
    if (text->st < 0 && w->out->st == LW_OK)
        w->out->st = text->st;
    lw_json_write_string(w, lw_buf_view(text));
    lw_buf_done(text);
}
