/* SPDX-License-Identifier: Apache-2.0 */
/* strings.h -- a list of strings, NULL-terminated as execve and headers want it. */
#ifndef LW_KUBECONFIG_STRINGS_H
#define LW_KUBECONFIG_STRINGS_H

#include <stddef.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

enum {
    LW_STRINGS_MAX = 10000, /* arguments, variables, headers of one list */
};

/* Starts zeroed. */
typedef struct lw_strings {
    char **items; /* |count| strings and a NULL; NULL while there is none */
    size_t count;
} lw_strings;

/* Frees them; those of headers and environments may be secret, so they are wiped. */
void lw_strings_done(lw_strings *strings);

/* Adds |text|, which is eaten, on error too; NULL is LW_ERR_NOMEM.  LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_strings_add_take(lw_strings *strings, char *text);
LW_MUST_CHECK lw_status lw_strings_add(lw_strings *strings, lw_str text);

/* The list, also when it is empty. */
const char *const *lw_strings_view(const lw_strings *strings);

#endif
