/* SPDX-License-Identifier: Apache-2.0 */
/* value_parser.c -- parses the values of the store with one reused scanner. */
#include "cache/value_parser.h"

#include "base/error.h"
#include "base/str.h"
#include "object/object.h"

static lw_status take_object(const lw_scan_item *item, void *arg, lw_error *err)
{
    lw_value_parser *parser = arg;
    lw_status st =
        lw_object__from_list_item(item, LW_STR(""), LW_STR(""), &parser->scanned, &parser->found);
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
    lw_object__spare_done(&parser->scanned);
    lw_object__spare_done(&parser->made);
}

lw_status lw_value_parse(lw_value_parser *parser, const lw_store_record *record, lw_object **out,
                         lw_error *err)
{
    const lw_str key = record->key, value = record->value;
    lw_error why = LW_ERROR_INIT;
    lw_scan_reset(parser->scan);
    lw_status st = lw_scan_feed(parser->scan, value.ptr, value.len, &why);
    if (st == LW_OK)
        st = lw_scan_finish(parser->scan, &why);
    lw_object *found = parser->found;
    parser->found = NULL;
    if (st == LW_OK)
        st = lw_object__with_revision(out, found, record->mod_revision, &parser->made);
    if (found)
        lw_object__spare_unref(&parser->scanned, found);
    if (st == LW_OK && record->is_stale)
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

void lw_value_parser_unref(lw_value_parser *parser, lw_object *obj)
{
    lw_object__spare_unref(&parser->made, obj);
}
