/* SPDX-License-Identifier: Apache-2.0 */
/* log.h -- what the library does, told line by line to a function of the program.
 *
 * The library never prints.  It does not log what it returns, either: an error is returned once. */
#ifndef LISTWATCH_LOG_H
#define LISTWATCH_LOG_H

#include <listwatch/api.h>

LW_BEGIN_DECLS

/* How much it matters; a logger takes its own level and those above it in this list. */
typedef enum lw_log_level {
    LW_LOG_OFF = 0,   /* nothing at all; only ever the level of a logger */
    LW_LOG_ERROR = 1, /* something was lost or will not work until somebody acts */
    LW_LOG_WARN = 2,  /* it goes on, but not as it should */
    LW_LOG_INFO = 3,  /* rare events of normal life: started, relisted, reconnected */
    LW_LOG_DEBUG = 4, /* every step */
} lw_log_level;

enum {
    LW_LOG_LINE_SIZE = 1024, /* bytes of a line with its NUL; longer ones end in "..." */
};

/* Takes one line: no newline in it, no level and no time, |component| is who speaks ("reflector").
 * Both strings die with the call.  Called from any thread, from several at once; should not block
 * and must not call back into the library. */
typedef void (*lw_log_fn)(lw_log_level level, const char *component, const char *line, void *arg);

/* Where lines go.  A zeroed logger is silent. */
typedef struct lw_logger {
    lw_log_level level;
    lw_log_fn fn; /* NULL = silent */
    void *arg;
} lw_logger;

/* The name of |level| ("warn"), never NULL. */
LW_API const char *lw_log_level_name(lw_log_level level);

LW_END_DECLS

#endif
