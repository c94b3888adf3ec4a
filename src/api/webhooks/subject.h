/* SPDX-License-Identifier: Apache-2.0 */
/* subject.h -- the object that webhooks are asked about, as the state of its admission is. */
#ifndef LW_API_WEBHOOKS_SUBJECT_H
#define LW_API_WEBHOOKS_SUBJECT_H

#include <listwatch/object.h>

#include "object/api_status.h"
#include "schema/kinds/kind.h"
#include "json/tree.h"

/* The first member of the owner's struct.  Everything runs on the loop of the request. */
typedef struct lw_hook_subject lw_hook_subject;
struct lw_hook_subject {
    /* Appends the object as |as| shows it, as JSON; nothing: there is none (DELETE).
     * |is_mutating|: as mutating webhooks see it.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
    lw_status (*write)(lw_hook_subject *subject, const lw_kind *as, bool is_mutating, lw_buf *out);
    /* Returns the metadata of the object; NULL: there is no object. */
    const lw_node *(*metadata)(lw_hook_subject *subject);
    /* Replaces the object by |tree|, which it takes, even on error: the object that |write| has
     * written, patched.  LW_ERR_INVALID: it is not a valid object of its kind any more: |why|;
     * LW_ERR_STOPPED: the request is refused with |status|; LW_ERR_NOMEM, LW_ERR_LIMIT.  NULL: the
     * object cannot be changed. */
    lw_status (*replace)(lw_hook_subject *subject, const lw_kind *as, lw_tree *tree, lw_buf *why,
                         lw_api_status *status);
    /* Runs the server's own mutating stages again.  Sets |*is_changed|.  False: refused, with
     * |status|.  NULL: there are none. */
    bool (*reinvoke)(lw_hook_subject *subject, bool *is_changed, lw_api_status *status);
    const lw_object *old; /* the stored object; NULL: none */
    lw_str old_json;      /* the old object, if it is not the stored one; may be empty */
};

#endif
