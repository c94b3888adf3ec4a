/* SPDX-License-Identifier: Apache-2.0 */
/* strings.h -- a NULL-terminated list of strings, for execve and headers. */
#ifndef LW_KUBECONFIG_STRINGS_H
#define LW_KUBECONFIG_STRINGS_H

#include <stddef.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

enum {
    LW_STRINGS_MAX = 10000, /* strings of one list */
};

/* Starts zeroed. */
typedef struct lw_strings {
    char **items; /* |count| strings and a NULL; NULL if there is none */
    size_t count;
} lw_strings;

/* Frees the strings and wipes them, because headers and environments may contain secrets. */
void lw_strings_done(lw_strings *strings);

/* Adds |text| and takes it, also on error; NULL is LW_ERR_NOMEM.  LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_strings_add_take(lw_strings *strings, char *text);
LW_MUST_CHECK lw_status lw_strings_add(lw_strings *strings, lw_str text);

/* Returns the list; never NULL. */
const char *const *lw_strings_view(const lw_strings *strings);

#endif
