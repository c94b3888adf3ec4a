/* SPDX-License-Identifier: Apache-2.0 */
/* confirm.c -- a question to the store and its way back to the loop. */
#include "api/confirm.h"

#include "api/core.h"
#include "base/error.h"

bool lw_confirm_is_needed(const lw_api_port *port)
{
    return lw_store_is_shared(port->api->store);
}

static void confirm_over(lw_task *task)
{
    lw_confirm *confirm = LW_LIST_ITEM(&task->link, lw_confirm, task.link);
    confirm->port->under_way--;
    confirm->over(confirm);
}

/* On the store's thread. */
static void confirm_answered(lw_store_confirmation *question)
{
    lw_confirm *confirm = question->arg;
    lw_loop_post(confirm->port->loop, &confirm->task);
}

void lw_confirm_begin(lw_confirm *confirm)
{
    confirm->question = (lw_store_confirmation){ .done = confirm_answered, .arg = confirm };
    confirm->task = (lw_task){ .run = confirm_over };
    confirm->port->under_way++;
    lw_status st = lw_store_confirm(confirm->port->api->store, &confirm->question);
    if (st == LW_OK)
        return;
    confirm->question.st = lw_error_set(&confirm->question.err, st,
                                        "the store has too much to do; try again in a moment");
    lw_loop_post(confirm->port->loop, &confirm->task);
}
