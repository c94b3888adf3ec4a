/* SPDX-License-Identifier: Apache-2.0 */
/* list_proto.c -- encodes a list as protobuf: { 1: ListMeta, 2: item, 2: item, ... } in an
 * envelope. */
#include "api/media/list_proto.h"

#include "api/media/object_form.h"
#include "base/str.h"
#include "object/compact/compact.h"
#include "object/gvk.h"
#include "object/object.h"
#include "schema/kinds/table.h"
#include "schema/proto/proto.h"
#include "schema/proto/proto_wire.h"

enum {
    TEXT_MAX = 64 * 1024,        /* bytes of names, versions and tokens */
    ITEM_MAX = 64 * 1024 * 1024, /* bytes of one object */
    MANY = 16,                   /* objects to encode */
    METADATA = 1,                /* field numbers */
    ITEMS = 2,
};

static lw_status write_metadata(lw_list_proto *list, const lw_type *type,
                                const lw_api_list_metadata *metadata)
{
    lw_buf json, message;
    const lw_field *field = lw_type_field_numbered(type, METADATA);
    lw_buf_init(&json, TEXT_MAX);
    lw_buf_init(&message, TEXT_MAX);
    lw_list_metadata_write(metadata, false, &json);
    lw_status st = json.st;
    if (st == LW_OK)
        st = lw_proto_write(field->type, lw_buf_view(&json), &message, NULL);
    lw_proto_put_bytes(&list->metadata, METADATA, lw_buf_view(&message));
    lw_buf_done(&json);
    lw_buf_done(&message);
    return st < 0 ? st : list->metadata.st;
}

lw_status lw_list_proto_init(lw_list_proto *list, const lw_kind *kind, lw_media_as as,
                             lw_str meta_version, const lw_api_list_metadata *metadata,
                             lw_form_budget *budget)
{
    *list =
        (lw_list_proto){ .of = kind, .budget = budget, .is_partial = as == LW_MEDIA_PARTIAL_LIST };
    lw_buf_init(&list->version, TEXT_MAX);
    lw_buf_init(&list->metadata, TEXT_MAX);
    lw_buf_init(&list->scratch, ITEM_MAX);
    lw_buf_init(&list->json, ITEM_MAX);
    lw_api_version_append(&list->version, kind->group, kind->version);
    list->api_version = list->is_partial ? meta_version : lw_buf_view(&list->version);
    list->kind = list->is_partial ? LW_STR("PartialObjectMetadataList") : kind->list_kind;
    if (list->version.st < 0)
        return list->version.st;
    const lw_type *type = lw_proto_type(list->api_version, list->kind);
    if (!type)
        return LW_ERR_UNSUPPORTED;
    list->type = lw_type_field_numbered(type, ITEMS)->type->element;
    lw_status st = write_metadata(list, type, metadata);
    list->size = list->metadata.len;
    return st;
}

void lw_list_proto_done(lw_list_proto *list)
{
    lw_buf_done(&list->version);
    lw_buf_done(&list->metadata);
    lw_buf_done(&list->scratch);
    lw_buf_done(&list->json);
    lw_form_maker_free(list->maker);
}

/* Encodes |obj|, which is not packed, into |scratch|. */
static void encode_open(lw_list_proto *list, const lw_object *obj)
{
    lw_str json = lw_object_json(obj);
    lw_status st = LW_OK;
    lw_buf_reset(&list->scratch);
    if (list->is_partial) {
        lw_json_writer w;
        lw_buf_reset(&list->json);
        lw_json_writer_init(&w, &list->json, LW_JSON_COMPACT);
        lw_partial_write(obj, list->api_version, &w);
        st = lw_json_writer_status(&w);
        json = lw_buf_view(&list->json);
    } else if (!lw_kind_shows_as_stored(list->of, obj)) {
        lw_buf_reset(&list->json);
        lw_kind_append_object(list->of, obj, &list->json);
        st = list->json.st;
        json = lw_buf_view(&list->json);
    }
    if (st == LW_OK)
        st = lw_proto_write(list->type, json, &list->scratch, NULL);
    if (list->st == LW_OK)
        list->st = st;
}

/* Encodes |obj| into |scratch|. */
static void encode(lw_list_proto *list, const lw_object *obj)
{
    lw_object *opened = lw_compact_open_ref(obj);
    if (opened)
        encode_open(list, opened);
    else if (list->st == LW_OK)
        list->st = LW_ERR_NOMEM;
    lw_object_unref(opened);
}

/* An object may be stored as another kind. */
bool lw_list_proto_keeps(const lw_list_proto *list, const lw_object *obj)
{
    return !list->is_partial &&
           lw_str_equal(lw_object__field(obj, LW_OBJECT_API_VERSION), list->api_version) &&
           lw_str_equal(lw_object__field(obj, LW_OBJECT_KIND), list->of->kind);
}

/* Encodes |obj|, and keeps that with it if the budget allows it. */
static lw_status offer(lw_list_proto *list, const lw_object *obj, lw_object_form *form)
{
    if (++list->offered == MANY)
        list->maker = lw_form_maker_new(); /* without memory it takes longer */
    return lw_object_form_offer(obj, LW_WATCH_ADDED, list->budget, list->maker, form);
}

bool lw_list_proto_measure(lw_list_proto *list, const lw_object *obj)
{
    lw_object_form form;
    bool is_own = lw_list_proto_keeps(list, obj),
         is_kept = is_own && lw_object_form_find(obj, &form);
    if (is_kept || (is_own && offer(list, obj, &form) == LW_OK)) {
        list->size += form.item.len;
        return !is_kept;
    }
    encode(list, obj);
    list->size += 1 + lw_proto_varint_size(list->scratch.len) + list->scratch.len;
    return true;
}

void lw_list_proto_begin(lw_list_proto *list, lw_buf *out)
{
    lw_form_maker_free(list->maker); /* a client may take long to read the list */
    list->maker = NULL;
    lw_proto_envelope_begin(out, list->api_version, list->kind, (size_t)list->size);
    lw_buf_append_str(out, lw_buf_view(&list->metadata));
}

void lw_list_proto_item(lw_list_proto *list, const lw_object *obj, lw_buf *out)
{
    lw_object_form form;
    if (lw_list_proto_keeps(list, obj) && lw_object_form_find(obj, &form)) {
        lw_buf_append_str(out, form.item);
        return;
    }
    encode(list, obj);
    lw_proto_put_bytes(out, ITEMS, lw_buf_view(&list->scratch));
}

void lw_list_proto_end(lw_list_proto *list, lw_buf *out)
{
    lw_proto_envelope_end(out);
    if (list->st == LW_OK)
        list->st = out->st;
}

lw_bytes lw_list_proto_take(lw_list_proto *list, lw_object **slot)
{
    lw_object_form form;
    lw_object *obj = *slot;
    lw_buf copy;
    *slot = NULL;
    if (lw_list_proto_keeps(list, obj) && lw_object_form_find(obj, &form))
        return lw_object_part_take(obj, form.item);
    lw_buf_init(&copy, ITEM_MAX);
    lw_list_proto_item(list, obj, &copy);
    lw_object_unref(obj);
    if (list->st == LW_OK)
        list->st = copy.st;
    if (copy.st < 0)
        lw_buf_done(&copy);
    return lw_buf_take_bytes(&copy);
}

lw_status lw_list_proto_whole(lw_list_proto *list, lw_object *const *objects, size_t count,
                              lw_buf *out)
{
    for (size_t i = 0; i < count && list->st == LW_OK; i++)
        (void)lw_list_proto_measure(list, objects[i]);
    lw_list_proto_begin(list, out);
    for (size_t i = 0; i < count && list->st == LW_OK; i++)
        lw_list_proto_item(list, objects[i], out);
    lw_list_proto_end(list, out);
    return list->st;
}
