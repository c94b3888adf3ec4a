/* SPDX-License-Identifier: Apache-2.0 */
/* class_lookup.h -- finds the class of an object for admission plugins: the one that it names, or
 * the one that an annotation makes the default. */
#ifndef LW_API_ADMISSION_CLASS_LOOKUP_H
#define LW_API_ADMISSION_CLASS_LOOKUP_H

#include "api/admission/admission.h"

/* Sets |*out| to the object |name| of |kind|, which the caller unrefs, or to NULL if it does not
 * exist.  False: the cache cannot answer, and admission->status says so. */
bool lw_class_find(lw_admission *admission, const lw_kind *kind, lw_str name, lw_object **out);

/* Which object of a kind is the default. */
typedef struct lw_class_default {
    const lw_kind *kind;
    const char
        *marks[2];     /* JSON pointers, the second may be NULL: true, or "true", in one of them */
    const char *order; /* JSON pointer of a number: of several, the one with the lowest is taken;
                          NULL: the newest */
} lw_class_default;

/* Sets |*out| to the default, which the caller unrefs, or to NULL if there is none.  False as
 * above. */
bool lw_class_find_default(lw_admission *admission, const lw_class_default *wanted,
                           lw_object **out);

/* Refuses with 403: 'pods "web" is forbidden: |why|'.  False, so that a refusal is one line. */
bool lw_class_forbid(lw_admission *admission, const char *why);

#endif
