/* SPDX-License-Identifier: Apache-2.0 */
/* proto_similar.c -- keeps samples, and finds the one that a document resembles.
 *
 * The samples are a tree.  A document that is not like a sample differs from it at some position of
 * its JSON, by some byte; if it becomes a sample, it is a child of that one, for this difference.
 * The next document that differs in the same way is compared with the child:
 *
 *     web-1 ── at 310 'o': ownerReferences ──▶ db-1 ── at 950 'r': no livenessProbe ──▶ db-x
 *       └───── at 950 'r': no livenessProbe ─▶ web-x
 *
 * Invariant: a child has a larger number than its parent, so that a search ends.  The tree is
 * dropped as a whole when it is full: lists go from one group of similar objects to the next. */
#include "schema/proto/proto_similar.h"

#include "base/alloc.h"
#include "schema/proto/proto.h"
#include "schema/proto/proto_patch.h"

enum {
    TRIES_MAX = 16, /* samples that a document is compared with */
    NONE = LW_PROTO_SAMPLES_MAX,

    /* What it costs, where an encoding costs 16.  The balance pays for it: of each document comes
     * what may be lost if none resembles another, and of one that was patched, what was saved. */
    TRY_COST = 1,
    SAMPLE_COST = 64,
    ALLOWED = 1,
    SAVED = 12,
    BALANCE_FIRST = 512,
    BALANCE_MAX = 4096,
};

typedef struct node {
    lw_proto_sample sample;
    lw_proto_difference difference; /* from the parent */
    uint8_t child, sister;          /* the first child, and the next one of the parent, or NONE */
    uint8_t next;                   /* the sample that was used after this one */
} node;

struct lw_proto_similar {
    node *nodes[LW_PROTO_SAMPLES_MAX];
    size_t count, memory;
    lw_proto_patch_room *room;
    size_t last; /* the sample used last */
    int balance; /* see TRY_COST */
    lw_proto_similar_stats stats;
};

/* Where a document left the tree. */
typedef struct leaving {
    size_t from; /* the last sample it was compared with; NONE: not to be followed further */
    lw_proto_difference difference; /* from that */
} leaving;

lw_status lw_proto_similar_new(lw_proto_similar **out)
{
    lw_proto_similar *similar = lw_alloc_zero(1, sizeof(*similar));
    lw_proto_patch_room *room = lw_proto_patch_room_new();
    if (!similar || !room) {
        lw_proto_patch_room_free(room);
        lw_free(similar);
        return LW_ERR_NOMEM;
    }
    similar->room = room;
    similar->balance = BALANCE_FIRST;
    *out = similar;
    return LW_OK;
}

static void drop_samples(lw_proto_similar *similar)
{
    for (size_t i = 0; i < similar->count; i++) {
        lw_proto_sample_done(&similar->nodes[i]->sample);
        lw_free(similar->nodes[i]);
    }
    similar->count = 0;
    similar->last = 0;
    similar->memory = 0;
}

void lw_proto_similar_free(lw_proto_similar *similar)
{
    if (!similar)
        return;
    drop_samples(similar);
    lw_proto_patch_room_free(similar->room);
    lw_free(similar);
}

lw_proto_similar_stats lw_proto_similar_read(const lw_proto_similar *similar)
{
    return similar->stats;
}

static bool is_same(lw_proto_difference a, lw_proto_difference b)
{
    return a.at == b.at && a.byte == b.byte;
}

static size_t child_of(const lw_proto_similar *similar, size_t parent, lw_proto_difference by)
{
    size_t child = similar->nodes[parent]->child;
    while (child != NONE && !is_same(similar->nodes[child]->difference, by))
        child = similar->nodes[child]->sister;
    return child;
}

static void earn(lw_proto_similar *similar, int amount)
{
    int sum = similar->balance + amount;
    similar->balance = sum < BALANCE_MAX ? sum : BALANCE_MAX;
}

static void set_last(lw_proto_similar *similar, size_t number)
{
    similar->nodes[similar->last]->next = (uint8_t)number;
    similar->last = number;
}

/* Encodes a document that is like a sample.  It is probably like the one that came next after the
 * same sample before; otherwise it is searched from the first one on.  False: |*left| is where it
 * could become a sample. */
static bool patch_any(lw_proto_similar *similar, lw_str json, lw_buf *out, leaving *left)
{
    size_t number = similar->nodes[similar->last]->next;
    bool is_guess = number != 0;
    *left = (leaving){ .from = NONE };
    lw_proto_patch_begin(similar->room);
    for (int tries = 0; tries < TRIES_MAX && similar->balance >= TRY_COST; tries++) {
        lw_proto_difference difference;
        earn(similar, -TRY_COST);
        if (lw_proto_patch(&similar->nodes[number]->sample, similar->room, json, out,
                           &difference)) {
            set_last(similar, number);
            earn(similar, SAVED);
            similar->stats.patched++;
            return true;
        }
        size_t child = is_guess ? 0 : child_of(similar, number, difference);
        if (child == NONE) {
            *left = (leaving){ number, difference };
            return false;
        }
        is_guess = false;
        number = child;
    }
    return false;
}

static node *node_new(lw_str json, lw_str document)
{
    node *made = lw_alloc(sizeof(*made));
    if (!made)
        return NULL;
    *made = (node){ .child = NONE, .sister = NONE };
    if (lw_proto_sample_init(&made->sample, json, document) == LW_OK)
        return made;
    lw_free(made);
    return NULL;
}

/* Makes |json| a sample. */
static void add_sample(lw_proto_similar *similar, lw_str json, lw_str document, leaving left)
{
    node *made = node_new(json, document);
    earn(similar, -SAMPLE_COST);
    if (!made)
        return;
    if (similar->count == LW_PROTO_SAMPLES_MAX || similar->memory > LW_PROTO_SAMPLES_MEMORY)
        drop_samples(similar);
    if (similar->count > 0) {
        node *parent = similar->nodes[left.from];
        made->difference = left.difference;
        made->sister = parent->child;
        parent->child = (uint8_t)similar->count;
    }
    made->next = (uint8_t)similar->count;
    similar->memory += lw_proto_sample_memory(&made->sample);
    similar->nodes[similar->count++] = made;
    set_last(similar, made->next);
    similar->stats.sampled++;
}

lw_status lw_proto_write_similar(lw_proto_similar *similar, lw_str json, lw_buf *out, lw_error *err)
{
    leaving left = { .from = 0 };
    if (similar)
        earn(similar, ALLOWED);
    if (similar && similar->count > 0 && patch_any(similar, json, out, &left))
        return LW_OK;
    lw_status st = lw_proto_write_document(json, out, err);
    if (st == LW_OK && similar && left.from != NONE && similar->balance >= SAMPLE_COST)
        add_sample(similar, json, lw_buf_view(out), left);
    return st;
}
