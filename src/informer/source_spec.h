/* SPDX-License-Identifier: Apache-2.0 */
/* source_spec.h -- what an informer is about, kept and compared. */
#ifndef LW_INFORMER_SOURCE_SPEC_H
#define LW_INFORMER_SOURCE_SPEC_H

#include <listwatch/sys/source.h>

/* A copy of |spec| with strings of its own, none of them NULL.  LW_ERR_NOMEM. */
lw_status lw_source_spec_copy(lw_source_spec *out, const lw_source_spec *spec);
void lw_source_spec_done(lw_source_spec *copy);

/* Whether both are about the same objects, read in the same way. */
bool lw_source_spec_equal(const lw_source_spec *a, const lw_source_spec *b);

/* Whether its selectors and paths can be understood at all.  LW_ERR_SYNTAX, LW_ERR_INVALID,
 * LW_ERR_NOMEM. */
lw_status lw_source_spec_check(const lw_source_spec *spec, lw_error *err);

#endif
