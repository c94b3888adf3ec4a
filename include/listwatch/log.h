/* SPDX-License-Identifier: Apache-2.0 */
/* log.h -- the log of the library: lines are passed to a function of the program.
 *
 * The library never prints, and does not log the errors that it returns. */
#ifndef LISTWATCH_LOG_H
#define LISTWATCH_LOG_H

#include <listwatch/api.h>

LW_BEGIN_DECLS

/* The severity of a line.  A logger gets lines of its own level and of more severe levels. */
typedef enum lw_log_level {
    LW_LOG_OFF = 0,   /* no lines; only used as the level of a logger */
    LW_LOG_ERROR = 1, /* something was lost, or does not work until somebody acts */
    LW_LOG_WARN = 2,  /* a problem; the library continues */
    LW_LOG_INFO = 3,  /* rare normal events: started, relisted, reconnected */
    LW_LOG_DEBUG = 4, /* every step */
} lw_log_level;

enum {
    LW_LOG_LINE_SIZE = 1024, /* bytes of a line with its NUL; longer lines end in "..." */
};

/* Called with one line, without newline, level and time; |component| is the part of the library
 * ("reflector").  Both strings are valid only during the call.  Called from any thread, also from
 * several at the same time; should not block, and must not call the library. */
typedef void (*lw_log_fn)(lw_log_level level, const char *component, const char *line, void *arg);

/* The destination of log lines.  A zeroed logger is silent. */
typedef struct lw_logger {
    lw_log_level level;
    lw_log_fn fn; /* NULL: silent */
    void *arg;
} lw_logger;

/* Returns the name of |level| ("warn"), never NULL. */
LW_API const char *lw_log_level_name(lw_log_level level);

LW_END_DECLS

#endif
