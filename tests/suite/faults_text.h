/* SPDX-License-Identifier: Apache-2.0 */
/* faults_text.h -- the model's objects, events and refusals as an API server writes them, and how
 * to spoil such a text so that nobody can take it for another one. */
#ifndef LW_TESTS_SUITE_FAULTS_TEXT_H
#define LW_TESTS_SUITE_FAULTS_TEXT_H

#include <listwatch/object.h>

#include "base/buf.h"
#include "base/random.h"
#include "support/model_history.h"

enum {
    FAULTS_TEXT_MAX = 32 * 1024, /* of a list */
};

/* An object; |is_item|: as an item of a list, without its kind. */
void faults_write_object(lw_buf *out, unsigned name, const model_object *obj, bool is_item);

/* A frame of a watch, with its newline. */
void faults_write_event(lw_buf *out, lw_watch_event_type type, unsigned name,
                        const model_object *obj);
void faults_write_bookmark(lw_buf *out, uint64_t rv, bool is_initial_events_end);

/* A Status for the HTTP status |code|; and the same as an ERROR event. */
void faults_write_status(lw_buf *out, int code, int retry_after_s);
void faults_write_error(lw_buf *out, int code);

/* Which name |obj| has. */
unsigned faults_name_of(const lw_object *obj);
/* Whether |obj| is what the server wrote of |name| and |expected|, to the last character. */
bool faults_is_written(const lw_object *obj, unsigned name, const model_object *expected);

/* Repeats some bytes of the JSON |text|, so that it is none any more. */
void faults_garble(lw_buf *text, lw_random *random);

#endif
