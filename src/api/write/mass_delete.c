/* SPDX-License-Identifier: Apache-2.0 */
/* mass_delete.c -- keeps a window of deletions under way until all are done. */
#include "api/write/mass_delete.h"

#include "api/admission/node_restriction.h"
#include "api/write/deletion.h"
#include "api/write/write_policies.h"
#include "base/alloc.h"
#include "base/str.h"

/* One of the deletions. */
typedef struct mass_item {
    lw_write write; /* first */
    lw_mass_delete *mass;
} mass_item;

static mass_item *item_of(lw_write *write)
{
    return (mass_item *)(void *)write;
}

static void mass_pump(lw_mass_delete *mass);

static lw_write_decision item_decide(lw_write *write)
{
    const lw_node_restriction_request request = { write->port->api, write->user,    write->kind,
                                                  write->key,       write->current, NULL };
    if (!lw_node_restriction_admits_delete(&request, &write->status))
        return LW_WRITE_REFUSE;
    if (!lw_policies_admit_delete(write))
        return LW_WRITE_REFUSE;
    return lw_deletion_decide(write, &item_of(write)->mass->options);
}

/* Keeps the first failure; what is gone already is no failure. */
static void note_failure(lw_mass_delete *mass, lw_api_status *status)
{
    enum {
        NOT_FOUND = 404
    };
    if (status->code == NOT_FOUND) {
        mass->deleted++;
        lw_api_status_done(status);
    } else if (mass->has_failed) {
        lw_api_status_done(status);
    } else {
        mass->has_failed = true;
        mass->failure = *status;
    }
}

static void item_done(lw_write *write)
{
    mass_item *item = item_of(write);
    lw_mass_delete *mass = item->mass;
    if (write->outcome == LW_WRITE_REFUSE) {
        note_failure(mass, &write->status);
        lw_api_status_init(&write->status);
    }
    mass->deleted += write->outcome == LW_WRITE_DELETE;
    lw_write_release(write);
    lw_free(item);
    mass->under_way--;
    if (!mass->is_starting)
        mass_pump(mass);
}

static bool start_item(lw_mass_delete *mass, const lw_object *obj)
{
    mass_item *item = lw_alloc_zero(1, sizeof(*item));
    if (!item)
        return false;
    item->mass = mass;
    item->write.port = mass->port;
    item->write.kind = mass->kind;
    item->write.user = mass->user;
    item->write.call = mass->call;
    item->write.key = lw_object_key(obj);
    item->write.is_dry_run = mass->options.is_dry_run;
    item->write.decide = item_decide;
    item->write.done = item_done;
    mass->under_way++;
    lw_write_start(&item->write);
    return true;
}

static void mass_pump(lw_mass_delete *mass)
{
    mass->is_starting = true; /* writes that end at once must not pump from within */
    while (mass->next < mass->count && mass->under_way < LW_MASS_DELETE_WINDOW) {
        if (start_item(mass, mass->objects[mass->next++]))
            continue;
        lw_api_status status;
        lw_api_status_init(&status);
        status.st = LW_ERR_NOMEM;
        note_failure(mass, &status);
        mass->next = mass->count; /* the rest would fare no better */
    }
    mass->is_starting = false;
    if (mass->under_way == 0)
        mass->done(mass);
}

void lw_mass_delete_start(lw_mass_delete *mass)
{
    mass_pump(mass);
}
