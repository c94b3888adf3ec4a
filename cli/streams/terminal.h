/* SPDX-License-Identifier: Apache-2.0 */
/* terminal.h -- the terminal of exec and attach: raw mode, its size, and the signals that end the
 * program or tell that the size has changed. */
#ifndef LISTWATCH_CLI_STREAMS_TERMINAL_H
#define LISTWATCH_CLI_STREAMS_TERMINAL_H

#include <poll.h>
#include <stdbool.h>

/* Returns true if standard input is a terminal. */
bool terminal_is_input(void);

/* Sets the terminal to raw mode: every key is passed on, also Ctrl-C.  terminal_end, also at the
 * exit of the program, restores it. */
void terminal_begin(void);
void terminal_end(void);

/* Gets the size of the terminal; false: it has none. */
bool terminal_size(unsigned *columns, unsigned *rows);

/* Catches SIGINT, SIGTERM, SIGHUP and SIGWINCH, which arrive only in terminal_poll. */
void terminal_catch_signals(void);

/* As poll, interrupted by a signal. */
int terminal_poll(struct pollfd *set, nfds_t count, int timeout_ms);

/* Returns the signal that asks the program to end; 0: none. */
int terminal_end_signal(void);

/* Returns true once after each change of the size. */
bool terminal_is_resized(void);

#endif
