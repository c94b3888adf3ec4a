/* SPDX-License-Identifier: Apache-2.0 */
/* factory_report.c -- statistics of the informers of a factory as JSON, for the web page of a
 * server (docs/guide/page.md). */
#include "informer/factory/factory.h"

#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "json/writer.h"

enum {
    REPORT_MAX = 64 * 1024, /* size limit of a server, in bytes */
};

static void put_informer(lw_informer *informer, lw_json_writer *w)
{
    lw_informer_statistics stats;
    lw_informer_stats(informer, &stats);
    const struct {
        const char *name;
        uint64_t value;
    } figures[] = {
        { "objects", stats.objects },
        { "revision", stats.revision },
        { "lists", stats.lists },
        { "relists", stats.relists },
        { "watches", stats.watches },
        { "queue_depth", stats.queue_depth },
        { "handler_depth", stats.handler_depth },
    };
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "resource", lw_str_of(informer->key.spec.resource));
    lw_json_write_member_string(w, "namespace", lw_str_of(informer->key.spec.ns));
    lw_json_write_key(w, LW_STR("is_synced"));
    lw_json_write_bool(w, stats.is_synced);
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
        lw_json_write_member_int(w, figures[i].name, (int64_t)figures[i].value);
    lw_json_write_object_end(w);
}

static void put_report(lw_factory *factory, const char *reporter, lw_json_writer *w)
{
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "reporter", lw_str_of(reporter));
    lw_json_write_key(w, LW_STR("informers"));
    lw_json_write_array_begin(w);
    lw_mutex_lock(&factory->mu);
    LW_DLIST_FOR_EACH(lw_informer, informer, &factory->informers, link)
    put_informer(informer, w);
    lw_mutex_unlock(&factory->mu);
    lw_json_write_array_end(w);
    lw_json_write_object_end(w);
}

size_t lw_factory_report(const lw_factory *factory, const char *reporter, char *dst, size_t size)
{
    lw_buf text;
    lw_json_writer w;
    lw_buf_init(&text, REPORT_MAX);
    lw_json_writer_init(&w, &text, LW_JSON_COMPACT);
    /* Reading changes only the lock. */
    put_report((lw_factory *)(uintptr_t)factory, reporter, &w);
    size_t len = lw_json_writer_status(&w) < 0 ? 0 : text.len;
    if (size > 0) {
        size_t kept = len < size ? len : size - 1;
        if (kept > 0)
            memcpy(dst, text.data, kept);
        dst[kept] = '\0';
    }
    lw_buf_done(&text);
    return len;
}
