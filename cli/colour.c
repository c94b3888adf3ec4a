/* SPDX-License-Identifier: Apache-2.0 */
/* colour.c -- colours of table cells on a terminal: green is good, yellow is on its way, red needs
 * attention. */
#include "colour.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GREEN  "\033[32m"
#define YELLOW "\033[33m"
#define RED    "\033[31m"

bool colour_is_on(void)
{
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return !(none && none[0]) && terminal && strcmp(terminal, "dumb") != 0 && isatty(STDOUT_FILENO);
}

static bool is_among(const char *text, const char *const *words)
{
    for (; *words; words++) {
        if (strcmp(text, *words) == 0)
            return true;
    }
    return false;
}

static const char *colour_of_status(const char *text)
{
    static const char *const good[] = { "Running", "Completed",       "Succeeded", "Active",
                                        "Ready",   "Bound",           "Available", "Complete",
                                        "True",    "Approved,Issued", NULL };
    static const char *const waiting[] = {
        "Pending", "ContainerCreating", "PodInitializing",          "Terminating", "Released",
        "Unknown", "Suspended",         "Ready,SchedulingDisabled", NULL
    };
    static const char *const bad[] = { "Failed", "Evicted",   "Denied", "NotReady",
                                       "Lost",   "OOMKilled", NULL };
    if (is_among(text, good))
        return GREEN;
    if (is_among(text, waiting) || strncmp(text, "Init:", 5) == 0)
        return YELLOW;
    if (is_among(text, bad) || strstr(text, "Error") || strstr(text, "Err") ||
        strstr(text, "BackOff"))
        return RED;
    return "";
}

/* "1/2": not all are ready. */
static const char *colour_of_ready(const char *text)
{
    const char *slash = strchr(text, '/');
    size_t len = slash ? (size_t)(slash - text) : 0;
    if (!slash || len == 0)
        return colour_of_status(text);
    return strlen(slash + 1) == len && strncmp(text, slash + 1, len) == 0 ? "" : YELLOW;
}

const char *colour_of_cell(const char *title, const char *text)
{
    if (strcmp(title, "STATUS") == 0 || strcmp(title, "PHASE") == 0)
        return colour_of_status(text);
    return strcmp(title, "READY") == 0 ? colour_of_ready(text) : "";
}
