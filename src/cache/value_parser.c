/* SPDX-License-Identifier: Apache-2.0 */
/* value_parser.c -- parses the values of the store with one reused scanner. */
#include "cache/value_parser.h"

#include "base/error.h"
#include "base/str.h"
#include "object/object.h"

static lw_status take_object(const lw_scan_item *item, void *arg, lw_error *err)
{
    lw_value_parser *parser = arg;
    lw_status st = lw_object__from_item(item, &parser->found);
    return st < 0 ? lw_object__error(err, st) : LW_OK;
}

lw_status lw_value_parser_init(lw_value_parser *parser, lw_error *err)
{
    static const char *const drop_nothing[] = { NULL };
    lw_scan_options options = {
        .shape = LW_SCAN_OBJECT, .drop = drop_nothing, .on_item = take_object, .arg = parser
    };
    *parser = (lw_value_parser){ 0 };
    return lw_scan_new(&parser->scan, &options, err);
}

void lw_value_parser_done(lw_value_parser *parser)
{
    lw_scan_free(parser->scan);
    parser->scan = NULL;
}

lw_status lw_value_parse(lw_value_parser *parser, lw_str key, lw_str value, uint64_t revision,
                         bool is_stale, lw_object **out, lw_error *err)
{
    lw_error why = LW_ERROR_INIT;
    lw_scan_reset(parser->scan);
    lw_status st = lw_scan_feed(parser->scan, value.ptr, value.len, &why);
    if (st == LW_OK)
        st = lw_scan_finish(parser->scan, &why);
    lw_object *found = parser->found;
    parser->found = NULL;
    if (st == LW_OK)
        st = lw_object_with_revision(out, found, revision);
    lw_object_unref(found);
    if (st == LW_OK && is_stale)
        lw_object__mark_stale(*out);
    if (st == LW_ERR_NOMEM)
        return lw_error_nomem(err);
    if (st < 0 && lw_str_starts_with(value, LW_STR("k8s:enc:")))
        return lw_error_set(err, LW_ERR_INVALID,
                            "the value of key %.*s in the store is encrypted: start the server "
                            "with the encryption configuration that has its key "
                            "(--encryption-provider-config)",
                            LW_STR_ARG(key));
    if (st < 0)
        return lw_error_set(err, LW_ERR_INVALID,
                            "the value of key %.*s in the store is not an object: %s",
                            LW_STR_ARG(key), why.message);
    return LW_OK;
}
