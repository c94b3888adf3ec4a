/* SPDX-License-Identifier: Apache-2.0 */
/* form_maker.c -- unpacks and encodes objects. */
#include "api/media/form_maker.h"

#include "api/media/object_form.h"
#include "base/alloc.h"
#include "object/compact/compact_reader.h"
#include "schema/proto/proto_similar.h"

enum {
    KEPT_MAX = 256 * 1024, /* bytes that stay for the next object */
    AHEAD = 96 * 1024,     /* bytes of the encodings that memory is got for at once */
};

struct lw_form_maker {
    lw_compact_reader *reader;
    lw_proto_similar *similar;
    lw_buf document; /* the last one */
    size_t left;     /* of AHEAD */
};

lw_form_maker *lw_form_maker_new(void)
{
    lw_form_maker *maker = lw_alloc_zero(1, sizeof(*maker));
    if (!maker)
        return NULL;
    lw_buf_init(&maker->document, LW_OBJECT_FORM_MAX);
    maker->reader = lw_compact_reader_new();
    if (!maker->reader || lw_proto_similar_new(&maker->similar) < 0) {
        lw_form_maker_free(maker);
        return NULL;
    }
    return maker;
}

void lw_form_maker_free(lw_form_maker *maker)
{
    if (!maker)
        return;
    lw_compact_reader_free(maker->reader);
    lw_proto_similar_free(maker->similar);
    lw_buf_done(&maker->document);
    lw_free(maker);
}

/* A thread's allocator asks the kernel for a page or two at a time, which takes longer than an
 * encoding.  What was allocated once and freed it keeps for the next allocations. */
static void get_memory_ahead(lw_form_maker *maker, size_t bytes)
{
    if (bytes > maker->left) {
        void *ahead = lw_alloc(AHEAD);
        lw_free(ahead);
        maker->left = AHEAD;
    }
    maker->left -= bytes < maker->left ? bytes : maker->left;
}

lw_status lw_form_maker_encode(lw_form_maker *maker, const lw_object *obj, lw_str *document)
{
    lw_str json;
    if (maker->document.cap > KEPT_MAX)
        lw_buf_done(&maker->document);
    lw_buf_reset(&maker->document);
    lw_status st = lw_compact_read(maker->reader, obj, &json);
    if (st < 0)
        return st;
    (void)lw_buf_reserve(&maker->document, json.len + LW_OBJECT_FORM_SLACK);
    st = lw_proto_write_similar(maker->similar, json, &maker->document, NULL);
    if (st < 0)
        return st;
    get_memory_ahead(maker, maker->document.len);
    *document = lw_buf_view(&maker->document);
    return LW_OK;
}
