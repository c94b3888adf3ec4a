/* SPDX-License-Identifier: Apache-2.0 */
/* warn.h -- one warning about a value, and checks that several kinds share. */
#ifndef LW_API_WARNINGS_WARN_H
#define LW_API_WARNINGS_WARN_H

#include <listwatch/api.h>

#include "api/http/call.h"
#include "api/pending/field_path.h"
#include "json/tree.h"

/* Warns with the text of |path| and what |format| says of it.  Longer texts than LW_WARNING_SIZE
 * are cut. */
void lw_warn_at(lw_api_call *call, lw_field_path path, const char *format, ...) LW_PRINTF(3, 4);

enum {
    LW_WARNING_SIZE = 1024,
};

/* A member that is on its way out, and what is said of it. */
typedef struct lw_outdated {
    const char *name;
    const char *message;
} lw_outdated;

/* What is said of a label of nodes that is on its way out; NULL: it is not. */
const char *lw_warn_node_label(lw_str key);

/* Warns of those of |outdated|, which ends with a NULL, that |object| at |path| has: "path.name:
 * …", or with |is_map| "path[name]: …". */
void lw_warn_outdated(lw_api_call *call, lw_field_path path, const lw_node *object,
                      const lw_outdated *outdated, bool is_map);

/* Warns if member |key| of the resource list |list| at |path| is no whole number of bytes. */
void lw_warn_fraction(lw_api_call *call, lw_field_path path, const lw_node *list, const char *key);

/* Warns of the labels in a node selector term.  |checks_values|: of invalid values, too. */
void lw_warn_selector_term(lw_api_call *call, lw_field_path path, const lw_node *term,
                           bool checks_values);

/* Warns of an address or a range, which is valid, in an unusual form. */
void lw_warn_ip(lw_api_call *call, lw_field_path path, lw_str value);
void lw_warn_range(lw_api_call *call, lw_field_path path, lw_str value);

#endif
