/* SPDX-License-Identifier: Apache-2.0 */
/* label_selector.h -- which objects are meant, said by their labels: "app=web,tier in (a,b),!old".
 *
 * A selector never changes once it is made: any number of threads may use it at once.  Every
 * function that reads a selector takes NULL for the one that matches everything. */
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
    LW_LABEL_SELECTOR_LENGTH_MAX = 64 * 1024, /* bytes of a selector's text */
    LW_LABEL_SELECTOR_TERMS_MAX = 4096,       /* requirements and values of a set, together */
};

typedef enum lw_label_operator {
    LW_LABEL_EXISTS,         /* k */
    LW_LABEL_DOES_NOT_EXIST, /* !k */
    LW_LABEL_EQUALS,         /* k=v */
    LW_LABEL_DOUBLE_EQUALS,  /* k==v: the same, but printed as it was written */
    LW_LABEL_NOT_EQUALS,     /* k!=v: also when there is no k */
    LW_LABEL_IN,             /* k in (a,b) */
    LW_LABEL_NOT_IN,         /* k notin (a,b): also when there is no k */
    LW_LABEL_GREATER_THAN,   /* k>1: the label is an integer, and greater */
    LW_LABEL_LESS_THAN,      /* k<1 */
} lw_label_operator;

/* One condition.  All views live as long as the selector. */
typedef struct lw_label_requirement {
    lw_str key;
    lw_label_operator op;
    const lw_str *values; /* sorted by bytes; none for the first two operators */
    size_t value_count;
    int64_t bound; /* the value of > and < as a number */
} lw_label_requirement;

typedef struct lw_label_selector lw_label_selector;

/* Reads |text| in Kubernetes' grammar; an empty text selects everything.
 * LW_ERR_SYNTAX (with the offset) and LW_ERR_INVALID (a key or value no label can have), both
 * worded as Kubernetes words them; LW_ERR_LIMIT; LW_ERR_NOMEM. */
LW_API lw_status lw_label_selector_parse(lw_label_selector **out, lw_str text, lw_error *err);

/* Reads a LabelSelector structure, {"matchLabels":{...},"matchExpressions":[...]}, as it stands in
 * the spec of a workload.  null selects nothing, {} everything.  Any bytes may be given.
 * LW_ERR_SYNTAX (not JSON), LW_ERR_INVALID (not such a structure, or a bad key, operator or value),
 * LW_ERR_LIMIT, LW_ERR_NOMEM. */
LW_API lw_status lw_label_selector_from_json(lw_label_selector **out, lw_str json, lw_error *err);

/* Frees |selector|; NULL does nothing. */
LW_API void lw_label_selector_free(lw_label_selector *selector);

/* The selectors that match every object and none.  Constants: never freed. */
LW_API const lw_label_selector *lw_label_selector_everything(void);
LW_API const lw_label_selector *lw_label_selector_nothing(void);

/* True when it has no requirement, so that every object matches. */
LW_API bool lw_label_selector_is_everything(const lw_label_selector *selector);

/* True for the selector that matches no object whatever its labels. */
LW_API bool lw_label_selector_is_nothing(const lw_label_selector *selector);

/* The selector as Kubernetes prints it, requirements sorted by key; it can be parsed again, except
 * that the selector of nothing is "" too.  Lives as long as the selector. */
LW_API lw_str lw_label_selector_text(const lw_label_selector *selector);

/* The |*count| requirements, all of which must hold, sorted by key. */
LW_API const lw_label_requirement *lw_label_selector_requirements(const lw_label_selector *selector,
                                                                  size_t *count);

/* Whether |count| |labels|, sorted by key, satisfy the selector.  Allocates nothing. */
LW_API bool lw_label_selector_matches_labels(const lw_label_selector *selector,
                                             const lw_label *labels, size_t count);

/* True, and |*value| set, when only objects whose label |key| is exactly |*value| can match. */
LW_API bool lw_label_selector_requires_exact(const lw_label_selector *selector, lw_str key,
                                             lw_str *value);

LW_END_DECLS

#endif
