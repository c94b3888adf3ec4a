/* SPDX-License-Identifier: Apache-2.0 */
/* field_selector.h -- which objects are meant, said by a few of their fields:
 * "metadata.name=web,status.phase!=Running".
 *
 * A selector never changes once it is made: any number of threads may use it at once.  Every
 * function that reads a selector takes NULL for the one that matches everything. */
#ifndef LISTWATCH_FIELD_SELECTOR_H
#define LISTWATCH_FIELD_SELECTOR_H

#include <stdbool.h>
#include <stddef.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

LW_BEGIN_DECLS

enum {
    LW_FIELD_SELECTOR_LENGTH_MAX = 64 * 1024, /* bytes of a selector's text */
    LW_FIELD_SELECTOR_TERMS_MAX = 1024,
};

/* One condition.  The views live as long as the selector. */
typedef struct lw_field_requirement {
    lw_str field;    /* "metadata.name" */
    lw_str value;    /* without escapes */
    bool is_negated; /* field!=value */
} lw_field_requirement;

typedef struct lw_field_selector lw_field_selector;

/* Sets |*value| to the field of the object at hand; false when there is none, which is the same as
 * the empty string.  The value must live until the match is decided. */
typedef bool (*lw_field_get_fn)(void *arg, lw_str field, lw_str *value);

/* Reads |text|: terms f=v, f==v or f!=v with commas between them; in values '\', ',' and '=' stand
 * behind a '\'.  An empty text selects everything.
 * LW_ERR_SYNTAX, worded as Kubernetes words it; LW_ERR_LIMIT; LW_ERR_NOMEM. */
LW_API lw_status lw_field_selector_parse(lw_field_selector **out, lw_str text, lw_error *err);

/* Frees |selector|; NULL does nothing. */
LW_API void lw_field_selector_free(lw_field_selector *selector);

/* True when it has no requirement, so that every object matches. */
LW_API bool lw_field_selector_is_everything(const lw_field_selector *selector);

/* The selector as Kubernetes prints it; can be parsed again.  Lives as long as the selector. */
LW_API lw_str lw_field_selector_text(const lw_field_selector *selector);

/* The |*count| requirements, all of which must hold, in the order they are printed. */
LW_API const lw_field_requirement *lw_field_selector_requirements(const lw_field_selector *selector,
                                                                  size_t *count);

/* Whether the object whose fields |get| knows satisfies the selector.  Allocates nothing. */
LW_API bool lw_field_selector_matches(const lw_field_selector *selector, lw_field_get_fn get,
                                      void *arg);

/* True, and |*value| set, when only objects whose |field| is exactly |*value| can match. */
LW_API bool lw_field_selector_requires_exact(const lw_field_selector *selector, lw_str field,
                                             lw_str *value);

LW_END_DECLS

#endif
