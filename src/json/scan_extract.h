/* SPDX-License-Identifier: Apache-2.0 */
/* scan_extract.h -- copies objects from the input and records the positions of their metadata.
 *
 * The walk of the scanner calls these functions for the tokens in the containers that the plan
 * names
 * ("tracked" containers); everything deeper is skipped at full speed.  Bytes are copied late and in
 * long runs: as long as nothing is dropped, the output is what was copied so far, followed by the
 * chunk from |copy_from| on, and positions in it are known before the bytes are copied.
 *
 * A member is part of the output while its key is read, and is removed again with its comma if it
 * must be dropped. */
#ifndef LW_JSON_SCAN_EXTRACT_H
#define LW_JSON_SCAN_EXTRACT_H

#include "base/buf.h"
#include "json/scan_plan.h"

/* A tracked container, and its current member or element.  Positions are offsets in the output. */
typedef struct lw_extract_frame {
    const lw_plan_node *node;
    const lw_plan_node *child; /* node of the current member, or NULL */
    size_t mark;               /* where to truncate to drop the current member: at its comma */
    size_t key_at;             /* where its key begins, after the quote */
    size_t key_len;            /* bytes of the key, still escaped */
    size_t value_at;           /* where its value begins */
    uint64_t value_offset;     /* the same in the input */
    bool is_array;
    bool keeps_others; /* members that are not in the plan are copied */
    bool has_members;  /* a member was copied, so the next one needs its comma */
    bool in_member;
    bool is_dropping; /* the current member is not copied */
} lw_extract_frame;

typedef struct lw_extract {
    const lw_plan *plan;
    lw_buf *out;           /* |item| inside an object, otherwise |envelope| */
    const char *copy_from; /* NULL: nothing is being copied */
    lw_buf item;
    lw_buf envelope;
    lw_buf labels; /* of lw_scan_label */
    lw_scan_text texts[LW_ROLE_TEXTS];
    size_t metadata_at;
    size_t spec_at;
    int64_t remaining_item_count;
    uint64_t document_offset; /* where document and item begin in the input */
    uint64_t item_offset;
    uint64_t item_count;
    bool has_items;
    unsigned depth; /* frames in use */
    lw_extract_frame frames[LW_PLAN_DEPTH];
    lw_scan_item_fn on_item;
    lw_scan_document_fn on_document;
    void *arg;
} lw_extract;

void lw_extract_init(lw_extract *x, const lw_plan *plan, const lw_scan_options *options);
void lw_extract_done(lw_extract *x);

/* Discards the current document; keeps the memory. */
void lw_extract_reset(lw_extract *x);

/* Copies the pending bytes up to |end|, because the chunk ends there, or to check whether a limit
 * was exceeded before; copying continues at |end|.  LW_ERR_LIMIT, LW_ERR_NOMEM. */
lw_status lw_extract_flush(lw_extract *x, const char *end, lw_error *err);

/* The tokens of the innermost tracked container.  |at| is the byte in the chunk, |offset| the
 * offset of the same byte in the input. */
void lw_extract_key_begin(lw_extract *x, const char *at);
lw_status lw_extract_key_end(lw_extract *x, const char *at, lw_error *err);

/* A value begins.  If it is a container, |*tracks| is set: whether it is tracked, too. */
lw_status lw_extract_value_begin(lw_extract *x, const char *at, uint64_t offset, bool *tracks,
                                 lw_error *err);

/* A comma follows a member or element. */
lw_status lw_extract_separator(lw_extract *x, const char *at, lw_error *err);

/* The innermost tracked container ends.  If it is an object of the document, it is reported. */
lw_status lw_extract_container_end(lw_extract *x, const char *at, lw_error *err);

/* The document is complete and ends at |end| in the input: reports its envelope. */
lw_status lw_extract_document_end(lw_extract *x, uint64_t end, lw_error *err);

#endif
