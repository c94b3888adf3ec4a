/* SPDX-License-Identifier: Apache-2.0 */
/* mass_delete.h -- many objects of one kind deleted, each by a write of its own, some at a time.
 *
 * The store commits what is under way together, so a window of writes costs little more than
 * one. */
#ifndef LW_API_WRITE_MASS_DELETE_H
#define LW_API_WRITE_MASS_DELETE_H

#include "api/http/delete_options.h"
#include "api/write/write.h"

enum {
    LW_MASS_DELETE_WINDOW = 64, /* writes under way at once */
};

typedef struct lw_mass_delete lw_mass_delete;
struct lw_mass_delete {
    /* The owner's; stays as it is until |done|. */
    lw_api_port *port;
    const lw_kind *kind;
    const lw_user *user;      /* NULL: the server itself */
    struct lw_api_call *call; /* for webhooks; NULL: none */
    lw_api_delete_options options;
    lw_object *const *objects; /* borrowed, with its references */
    size_t count;
    void (*done)(lw_mass_delete *mass); /* once, maybe from within lw_mass_delete_start */

    /* What came of it. */
    size_t deleted;        /* are gone, by us or by others */
    bool has_failed;       /* some could not be deleted: */
    lw_api_status failure; /* why the first one could not; the owner's to give back */

    /* Its own. */
    size_t next;
    size_t under_way;
    bool is_starting;
};

/* Starts one that is zeroed but for the owner's part. */
void lw_mass_delete_start(lw_mass_delete *mass);

#endif
