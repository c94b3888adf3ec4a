/* SPDX-License-Identifier: Apache-2.0 */
/* faults_witness.h -- a handler that knows what happened, and fails a test that tells it otherwise:
 * out of order, twice, or something that never was. */
#ifndef LW_TESTS_SUITE_FAULTS_WITNESS_H
#define LW_TESTS_SUITE_FAULTS_WITNESS_H

#include <listwatch/event.h>

#include "support/model_history.h"

/* What it was told of one name. */
typedef struct faults_told {
    model_object obj; /* rv 0: there is none */
    uint64_t last_rv; /* of the last event, of a deletion too */
} faults_told;

typedef struct faults_witness {
    const char *name; /* for messages */
    const model_history *past;
    bool is_told_all; /* every change that a watch showed: changes of one object are not merged */
    bool is_resynced; /* is told unchanged objects, too, where the cause says so */
    faults_told told[MODEL_NAMES];
    unsigned adds, updates, deletes, relisted, resyncs;
} faults_witness;

/* An lw_handler's function; |arg| is the witness. */
void faults_witness_hear(const lw_event *event, void *arg);

/* What it was told adds up to what the server has now. */
void faults_witness_check(const faults_witness *witness);

#endif
