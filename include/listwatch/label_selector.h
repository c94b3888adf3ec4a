/* SPDX-License-Identifier: Apache-2.0 */
/* label_selector.h -- selects objects by their labels: "app=web,tier in (a,b),!old".
 *
 * A selector is immutable: any number of threads may use it at the same time.  In every function
 * that reads a selector, NULL means the selector that matches everything. */
#ifndef LISTWATCH_LABEL_SELECTOR_H
#define LISTWATCH_LABEL_SELECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/label.h>
#include <listwatch/str.h>

LW_BEGIN_DECLS

enum {
    LW_LABEL_SELECTOR_LENGTH_MAX = 64 * 1024, /* length of the text, in bytes */
    LW_LABEL_SELECTOR_TERMS_MAX = 4096,       /* requirements plus values of sets */
};

typedef enum lw_label_operator {
    LW_LABEL_EXISTS,         /* k */
    LW_LABEL_DOES_NOT_EXIST, /* !k */
    LW_LABEL_EQUALS,         /* k=v */
    LW_LABEL_DOUBLE_EQUALS,  /* k==v: the same, printed as it was written */
    LW_LABEL_NOT_EQUALS,     /* k!=v: also matches if there is no k */
    LW_LABEL_IN,             /* k in (a,b) */
    LW_LABEL_NOT_IN,         /* k notin (a,b): also matches if there is no k */
    LW_LABEL_GREATER_THAN,   /* k>1: the label is an integer and greater */
    LW_LABEL_LESS_THAN,      /* k<1 */
} lw_label_operator;

/* One condition.  All views are valid as long as the selector. */
typedef struct lw_label_requirement {
    lw_str key;
    lw_label_operator op;
    const lw_str *values; /* sorted by bytes; none for the first two operators */
    size_t value_count;
    int64_t bound; /* the value of > and < as a number */
} lw_label_requirement;

typedef struct lw_label_selector lw_label_selector;

/* Parses |text| with the grammar of Kubernetes; an empty text selects everything.  LW_ERR_SYNTAX
 * (with the offset) and LW_ERR_INVALID (an invalid label key or value), both with the messages of
 * Kubernetes; LW_ERR_LIMIT; LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_label_selector_parse(lw_label_selector **out, lw_str text,
                                                       lw_error *err);

/* Makes a selector from a LabelSelector, {"matchLabels":{...},"matchExpressions":[...]}, which is
 * part of the spec of a workload. null selects nothing, {} selects everything.  |json| need not be
 * valid JSON.  LW_ERR_SYNTAX (not JSON), LW_ERR_INVALID (not a LabelSelector, or an invalid key,
 * operator or value), LW_ERR_LIMIT, LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_label_selector_from_json(lw_label_selector **out, lw_str json,
                                                           lw_error *err);

/* Frees |selector|; NULL does nothing. */
LW_API void lw_label_selector_free(lw_label_selector *selector);

/* Return the selector that matches every object, and the one that matches none.  They are constants
 * and must not be freed. */
LW_API const lw_label_selector *lw_label_selector_everything(void);
LW_API const lw_label_selector *lw_label_selector_nothing(void);

/* Returns true if the selector has no requirement, so that it matches every object. */
LW_API bool lw_label_selector_is_everything(const lw_label_selector *selector);

/* Returns true for the selector that matches no object. */
LW_API bool lw_label_selector_is_nothing(const lw_label_selector *selector);

/* Returns the text of the selector as Kubernetes prints it, with the requirements sorted by key.
 * The text can be parsed again, except that the selector of nothing is "" too.  Valid as long as
 * the selector. */
LW_API lw_str lw_label_selector_text(const lw_label_selector *selector);

/* Returns the |*count| requirements, sorted by key; all of them must hold. */
LW_API const lw_label_requirement *lw_label_selector_requirements(const lw_label_selector *selector,
                                                                  size_t *count);

/* Returns true if the |count| |labels|, sorted by key, match the selector.  Does not allocate. */
LW_API bool lw_label_selector_matches_labels(const lw_label_selector *selector,
                                             const lw_label *labels, size_t count);

/* Returns true and sets |*value| if only objects whose label |key| is |*value| can match. */
LW_API bool lw_label_selector_requires_exact(const lw_label_selector *selector, lw_str key,
                                             lw_str *value);

LW_END_DECLS

#endif
