/* SPDX-License-Identifier: Apache-2.0 */
/* source_spec.h -- copies and compares the objects that informers select. */
#ifndef LW_INFORMER_SOURCE_SPEC_H
#define LW_INFORMER_SOURCE_SPEC_H

#include <listwatch/sys/source.h>

/* Copies |spec| and its strings, none of which is NULL in the copy.  LW_ERR_NOMEM. */
lw_status lw_source_spec_copy(lw_source_spec *out, const lw_source_spec *spec);
void lw_source_spec_done(lw_source_spec *copy);

/* Returns true if both select the same objects and read them in the same way. */
bool lw_source_spec_equal(const lw_source_spec *a, const lw_source_spec *b);

/* Checks selectors and paths.  LW_ERR_SYNTAX, LW_ERR_INVALID, LW_ERR_NOMEM. */
lw_status lw_source_spec_check(const lw_source_spec *spec, lw_error *err);

#endif
