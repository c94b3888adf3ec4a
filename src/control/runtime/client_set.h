/* SPDX-License-Identifier: Apache-2.0 */
/* client_set.h -- the clients with which controllers and hollow nodes act, each as its own user.
 *
 * The set owns them: they live as long as it does.  Any thread. */
#ifndef LW_CONTROL_RUNTIME_CLIENT_SET_H
#define LW_CONTROL_RUNTIME_CLIENT_SET_H

#include <listwatch.h>

/* Makes a client that acts as |user|, and as a member of |group| (NULL: none).  May block. */
typedef lw_status (*lw_client_as_fn)(const char *user, const char *group, lw_client **out,
                                     void *arg, lw_error *err);

typedef struct lw_client_set lw_client_set;

/* |client| is used if |client_as| is NULL, or for no user.  LW_ERR_NOMEM. */
lw_status lw_client_set_new(lw_client_set **out, lw_client *client, lw_client_as_fn client_as,
                            void *arg, lw_error *err);

/* Frees the set; its clients must not be in use.  NULL does nothing. */
void lw_client_set_free(lw_client_set *set);

/* Makes a client that acts as |user| (NULL: that of the set) of |group| (may be NULL).
 * LW_ERR_STOPPED (the set is closed), LW_ERR_NOMEM, and the errors of client_as. */
lw_status lw_client_set_make(lw_client_set *set, const char *user, const char *group,
                             lw_client **out, lw_error *err);

/* Makes no more clients.  Returns those that exist. */
lw_client *const *lw_client_set_close(lw_client_set *set, size_t *count);

#endif
