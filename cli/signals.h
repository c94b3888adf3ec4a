/* SPDX-License-Identifier: Apache-2.0 */
/* signals.h -- the end of commands that go on until they are told to stop. */
#ifndef LISTWATCH_CLI_SIGNALS_H
#define LISTWATCH_CLI_SIGNALS_H

#include <signal.h>

/* Blocks SIGINT and SIGTERM and ignores SIGPIPE.  Before there are threads, so that no signal is
 * lost and none goes elsewhere. */
void signals_block(sigset_t *signals);

/* Waits for the first of them and says so as |component|; an interrupt after that ends the process
 * at once.  (Not a second SIGTERM: who runs us may pass on what the terminal has sent already.) */
void signals_wait(const sigset_t *signals, const char *component);

/* The same, and calls |fn| every |every_s| seconds until then. */
void signals_wait_doing(const sigset_t *signals, const char *component, int every_s,
                        void (*fn)(void *arg), void *arg);

#endif
