/* SPDX-License-Identifier: Apache-2.0 */
/* field_selector.h -- selects objects by some of their fields:
 * "metadata.name=web,status.phase!=Running".
 *
 * A selector is immutable: any number of threads may use it at the same time.  In every function
 * that reads a selector, NULL means the selector that matches everything. */
#ifndef LISTWATCH_FIELD_SELECTOR_H
#define LISTWATCH_FIELD_SELECTOR_H

#include <stdbool.h>
#include <stddef.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

LW_BEGIN_DECLS

enum {
    LW_FIELD_SELECTOR_LENGTH_MAX = 64 * 1024, /* length of the text, in bytes */
    LW_FIELD_SELECTOR_TERMS_MAX = 1024,
};

/* One condition.  The views are valid as long as the selector. */
typedef struct lw_field_requirement {
    lw_str field;    /* "metadata.name" */
    lw_str value;    /* without escapes */
    bool is_negated; /* field!=value */
} lw_field_requirement;

typedef struct lw_field_selector lw_field_selector;

/* Sets |*value| to the value of |field| in the object that is matched.  Returns false if there is
 * none, which is equivalent to the empty string.  The value must be valid until the match is
 * decided. */
typedef bool (*lw_field_get_fn)(void *arg, lw_str field, lw_str *value);

/* Parses |text|: terms f=v, f==v or f!=v, separated by commas; in values, '\', ',' and '=' are
 * escaped with a '\'.  An empty text selects everything.  LW_ERR_SYNTAX with the message of
 * Kubernetes; LW_ERR_LIMIT; LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_field_selector_parse(lw_field_selector **out, lw_str text,
                                                       lw_error *err);

/* Frees |selector|; NULL does nothing. */
LW_API void lw_field_selector_free(lw_field_selector *selector);

/* Returns true if the selector has no requirement, so that it matches every object. */
LW_API bool lw_field_selector_is_everything(const lw_field_selector *selector);

/* Returns the text of the selector as Kubernetes prints it; it can be parsed again.  Valid as long
 * as the selector. */
LW_API lw_str lw_field_selector_text(const lw_field_selector *selector);

/* Returns the |*count| requirements, in the order in which they are printed; all of them must
 * hold. */
LW_API const lw_field_requirement *lw_field_selector_requirements(const lw_field_selector *selector,
                                                                  size_t *count);

/* Returns true if the object whose fields |get| returns matches the selector.  Does not allocate.
 */
LW_API bool lw_field_selector_matches(const lw_field_selector *selector, lw_field_get_fn get,
                                      void *arg);

/* Returns true and sets |*value| if only objects whose |field| is |*value| can match. */
LW_API bool lw_field_selector_requires_exact(const lw_field_selector *selector, lw_str field,
                                             lw_str *value);

LW_END_DECLS

#endif
