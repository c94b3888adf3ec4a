/* SPDX-License-Identifier: Apache-2.0 */
/* message.h -- messages to the user on standard error. */
#ifndef LISTWATCH_CLI_MESSAGE_H
#define LISTWATCH_CLI_MESSAGE_H

#include <listwatch/api.h>

/* Prints "listwatch: " and the formatted text as one line.  Control characters are replaced, so
 * that a server or a file cannot control the terminal. */
void message(const char *format, ...) LW_PRINTF(1, 2);

#endif
