/* SPDX-License-Identifier: Apache-2.0 */
/* message.c -- messages to the user on standard error. */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

enum {
    MESSAGE_SIZE = 2048,
};

void message(const char *format, ...)
{
    char text[MESSAGE_SIZE];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    for (char *c = text; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = *c == '\n' || *c == '\t' ? ' ' : '?';
    }
    fprintf(stderr, "listwatch: %s\n", text);
}
