/* SPDX-License-Identifier: Apache-2.0 */
/* base_scenarios.c -- src/base, with each allocation failing in turn. */
#include <stdio.h>

#include "oom/oom.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/heap.h"
#include "base/map.h"
#include "base/ring.h"
#include "base/str.h"

enum {
    MANY = 200,
};

typedef struct item {
    lw_str name; /* of text */
    char text[16];
    lw_heap_node node;
} item;

static const lw_map_type items_by_name = LW_MAP_STR_TYPE(item, name);
static const lw_hash_seed fixed_seed = { 1, 2 };

static lw_status item_new(item **out, int n)
{
    item *it = lw_alloc_zero(1, sizeof(*it));
    if (!it)
        return LW_ERR_NOMEM;
    (void)snprintf(it->text, sizeof(it->text), "pod-%d", n);
    it->name = lw_str_of(it->text);
    *out = it;
    return LW_OK;
}

/* Puts |it| and frees the one it replaces; frees |it| on failure. */
static lw_status put_take(lw_map *map, item *it)
{
    void *replaced = NULL;
    lw_status st = lw_map_put(map, &it->name, it, &replaced);
    lw_free(st < 0 ? it : replaced);
    return st;
}

static lw_status put_many(lw_map *map)
{
    for (int i = 0; i < MANY; i++) {
        item *it = NULL;
        lw_status st = item_new(&it, i % (MANY - 20));
        if (st < 0)
            return st;
        st = put_take(map, it);
        if (st < 0)
            return st;
    }
    return LW_OK;
}

static void remove_most(lw_map *map)
{
    for (int i = 0; i < MANY - 10; i++) {
        char text[16];
        (void)snprintf(text, sizeof(text), "pod-%d", i);
        lw_free(lw_map_remove_str(map, lw_str_of(text)));
    }
}

static lw_status grows_and_shrinks_a_map(lw_error *err)
{
    (void)err;
    lw_map map;
    lw_map_init(&map, &items_by_name, fixed_seed, MANY);
    lw_status st = put_many(&map);
    if (st == LW_OK) {
        remove_most(&map);
        st = put_many(&map);
    }
    if (!lw_map_check(&map))
        st = LW_ERR_INTERNAL;
    lw_map_cursor at = lw_map_begin(&map);
    for (item *it; (it = lw_map_next(&map, &at));) {
        lw_map_remove_current(&map, &at);
        lw_free(it);
    }
    lw_map_done(&map);
    return st;
}

static lw_status push_many(lw_ring *ring)
{
    for (int i = 0; i < MANY; i++) {
        char *text = lw_str_dup(LW_STR("event"));
        if (!text)
            return LW_ERR_NOMEM;
        if (lw_ring_is_full(ring)) {
            char *oldest = NULL;
            (void)lw_ring_pop(ring, &oldest);
            lw_free(oldest);
        }
        lw_status st = lw_ring_push(ring, &text, NULL);
        if (st < 0) {
            lw_free(text);
            return st;
        }
    }
    return LW_OK;
}

static lw_status grows_slides_and_empties_a_ring(lw_error *err)
{
    (void)err;
    lw_ring ring;
    lw_ring_init(&ring, sizeof(char *), MANY / 2, 1);
    lw_status st = push_many(&ring);
    for (char *text; lw_ring_pop(&ring, &text);)
        lw_free(text);
    if (st == LW_OK)
        st = push_many(&ring);
    for (char *text; lw_ring_pop(&ring, &text);)
        lw_free(text);
    lw_ring_done(&ring);
    return st;
}

static bool named_before(const lw_heap_node *a, const lw_heap_node *b, void *arg)
{
    (void)arg;
    return lw_str_compare(LW_HEAP_CONST_ITEM(a, item, node)->name,
                          LW_HEAP_CONST_ITEM(b, item, node)->name) < 0;
}

static lw_status push_items(lw_heap *heap)
{
    for (int i = 0; i < MANY; i++) {
        item *it = NULL;
        lw_status st = item_new(&it, i);
        if (st < 0)
            return st;
        st = lw_heap_push(heap, &it->node);
        if (st < 0) {
            lw_free(it);
            return st;
        }
    }
    return LW_OK;
}

static lw_status grows_and_empties_a_heap(lw_error *err)
{
    (void)err;
    lw_heap heap;
    lw_heap_init(&heap, MANY, named_before, NULL);
    lw_status st = push_items(&heap);
    if (!lw_heap_check(&heap))
        st = LW_ERR_INTERNAL;
    for (lw_heap_node *node; (node = lw_heap_pop(&heap));)
        lw_free(LW_HEAP_ITEM(node, item, node));
    lw_heap_done(&heap);
    return st;
}

static lw_status fills_a_buffer_and_takes_its_text(lw_error *err)
{
    lw_buf buf;
    lw_buf_init(&buf, 100000);
    for (int i = 0; i < MANY; i++) {
        lw_buf_append_text(&buf, "item ");
        lw_buf_append_uint(&buf, (uint64_t)i);
        lw_buf_printf(&buf, " of %d;", MANY);
    }
    lw_status st = buf.st;
    char *text = lw_buf_take_text(&buf);
    if (st == LW_OK && !text)
        st = LW_ERR_NOMEM;
    lw_free(text);
    lw_buf_done(&buf);
    return st < 0 ? lw_error_set(err, st, "cannot write the items") : LW_OK;
}

static lw_status takes_the_text_of_an_empty_buffer(lw_error *err)
{
    lw_buf buf;
    lw_buf_init(&buf, 10);
    char *text = lw_buf_take_text(&buf);
    lw_buf_done(&buf);
    if (!text)
        return lw_error_nomem(err);
    lw_free(text);
    return LW_OK;
}

static lw_status makes_a_manual_clock(lw_error *err)
{
    lw_manual_clock *manual = NULL;
    lw_status st = lw_manual_clock_new(&manual, 0);
    if (st < 0)
        return lw_error_nomem(err);
    lw_manual_clock_advance(manual, LW_NS_PER_S);
    lw_manual_clock_free(manual);
    return LW_OK;
}

const oom_scenario base_scenarios[] = {
    { "base/map grows and shrinks", grows_and_shrinks_a_map },
    { "base/ring grows, slides and empties", grows_slides_and_empties_a_ring },
    { "base/heap grows and empties", grows_and_empties_a_heap },
    { "base/buf fills and is taken", fills_a_buffer_and_takes_its_text },
    { "base/buf is taken empty", takes_the_text_of_an_empty_buffer },
    { "base/clock is made by hand", makes_a_manual_clock },
};
const size_t base_scenario_count = sizeof(base_scenarios) / sizeof(base_scenarios[0]);
