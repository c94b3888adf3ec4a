/* SPDX-License-Identifier: Apache-2.0 */
/* faults_text.h -- objects, events and errors of the model as an API server writes them, and damage
 * that cannot be mistaken for valid text. */
#ifndef LW_TESTS_SUITE_FAULTS_TEXT_H
#define LW_TESTS_SUITE_FAULTS_TEXT_H

#include <listwatch/object.h>

#include "base/buf.h"
#include "base/random.h"
#include "support/model_history.h"

enum {
    FAULTS_TEXT_MAX = 32 * 1024, /* bytes of a list */
};

/* Writes an object; |is_item|: as a list item, without its kind. */
void faults_write_object(lw_buf *out, unsigned name, const model_object *obj, bool is_item);

/* Writes a frame of a watch with its newline. */
void faults_write_event(lw_buf *out, lw_watch_event_type type, unsigned name,
                        const model_object *obj);
void faults_write_bookmark(lw_buf *out, uint64_t rv, bool is_initial_events_end);

/* Writes a Status for the HTTP status |code|; and the same as an ERROR event. */
void faults_write_status(lw_buf *out, int code, int retry_after_s);
void faults_write_error(lw_buf *out, int code);

/* Returns the name of |obj|. */
unsigned faults_name_of(const lw_object *obj);
/* True if |obj| is exactly what the server wrote for |name| and |expected|. */
bool faults_is_written(const lw_object *obj, unsigned name, const model_object *expected);

/* Repeats some bytes of the JSON |text|, so that it becomes invalid. */
void faults_garble(lw_buf *text, lw_random *random);

#endif
