/* SPDX-License-Identifier: Apache-2.0 */
/* form_maker.h -- what a thread needs to encode many objects one after the other (object_form.h):
 * the documents before, which the next one probably resembles, and memory that is used again.
 *
 * Threads: one at a time. */
#ifndef LW_API_MEDIA_FORM_MAKER_H
#define LW_API_MEDIA_FORM_MAKER_H

#include <listwatch/object.h>

#include "base/buf.h"

typedef struct lw_form_maker lw_form_maker;

/* NULL: out of memory. */
lw_form_maker *lw_form_maker_new(void);
void lw_form_maker_free(lw_form_maker *maker); /* NULL does nothing */

/* Sets |*document| to the protobuf of |obj|, which may be packed, in its envelope; valid until the
 * next call.  Errors as lw_proto_write_document. */
LW_MUST_CHECK lw_status lw_form_maker_encode(lw_form_maker *maker, const lw_object *obj,
                                             lw_str *document);

#endif
