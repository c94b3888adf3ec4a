/* SPDX-License-Identifier: Apache-2.0 */
/* faults_trial.h -- one seed: a server with a bad temper and an informer of it, in one thread and
 * with one clock that both live by. */
#ifndef LW_TESTS_SUITE_FAULTS_TRIAL_H
#define LW_TESTS_SUITE_FAULTS_TRIAL_H

#include <listwatch/factory.h>

#include "suite/faults_server.h"
#include "suite/faults_witness.h"

typedef struct faults_trial {
    lw_manual_clock *clock;
    lw_random random;
    faults_server server;
    lw_client *client;
    lw_factory *factory;
    lw_informer *informer;
    faults_witness prompt;  /* in dispatch, from the beginning */
    faults_witness drained; /* when it likes, merged when it does not */
    faults_witness late;    /* in dispatch, joins in the middle */
    lw_registration *drain;
    bool is_late_in;
    int64_t recovery_ns; /* from the last fault until the cache was as the server is */
} faults_trial;

void faults_trial_open(faults_trial *trial, uint64_t seed);
void faults_trial_close(faults_trial *trial);

/* Lets things happen, and go wrong. */
void faults_trial_play(faults_trial *trial);

/* Nothing goes wrong any more: waits, by the trial's clock, until nobody has anything to say. */
void faults_trial_come_to_rest(faults_trial *trial);

/* Cache and handlers have what the server has. */
void faults_trial_check(faults_trial *trial);

/* From now on a change takes no list. */
void faults_trial_check_health(faults_trial *trial);

#endif
