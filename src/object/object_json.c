/* SPDX-License-Identifier: Apache-2.0 */
/* object_json.c -- makes one object from a complete JSON text. */
#include "base/error.h"
#include "object/object.h"

static const char *const drop_nothing[] = { NULL };

lw_scan_options lw_object__scan_options(const lw_read_options *options, lw_scan_shape shape)
{
    lw_scan_options scan = { .shape = shape };
    if (!options)
        return scan;
    scan.trusts_input = options->trusts_input;
    scan.max_item = options->max_object_size;
    scan.drop = options->drop;
    scan.keep = options->keep;
    if (!scan.drop && !scan.keep && options->keeps_managed_fields)
        scan.drop = drop_nothing;
    return scan;
}

static lw_status take_object(const lw_scan_item *item, void *arg, lw_error *err)
{
    lw_status st = lw_object__from_item(item, arg);
    return st < 0 ? lw_object__error(err, st) : LW_OK;
}

lw_status lw_object_from_json_with(lw_object **out, const char *json, size_t len,
                                   const lw_read_options *options, lw_error *err)
{
    lw_object *obj = NULL;
    lw_scan *scan = NULL;
    lw_scan_options how = lw_object__scan_options(options, LW_SCAN_OBJECT);
    how.on_item = take_object;
    how.arg = &obj;
    lw_status st = lw_scan_new(&scan, &how, err);
    if (st < 0)
        return st;
    st = lw_scan_feed(scan, json, len, err);
    if (st == LW_OK)
        st = lw_scan_finish(scan, err);
    lw_scan_free(scan);
    if (st < 0) {
        lw_object_unref(obj);
        return st;
    }
    *out = obj;
    return LW_OK;
}

lw_status lw_object_from_json(lw_object **out, const char *json, size_t len, lw_error *err)
{
    return lw_object_from_json_with(out, json, len, NULL, err);
}
