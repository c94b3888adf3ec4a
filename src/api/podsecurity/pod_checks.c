/* SPDX-License-Identifier: Apache-2.0 */
/* pod_checks.c -- the table of checks, and what they have in common. */
#include "api/podsecurity/pod_checks.h"

#include <stdlib.h>

#include "api/podsecurity/pod_checks_internal.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    ROOM_FIRST = 8,
    LISTS_MAX = 64 * 1024 * 1024, /* bytes of the lists of a check */
};

/* Checks of one level, in the order of their names in Kubernetes. */
static const struct {
    int since; /* minor version */
    void (*check)(lw_pod_check_run *run);
} baseline[] = {
    { 0, lw_pod_check_app_armor },       { 0, lw_pod_check_capabilities },
    { 0, lw_pod_check_host_namespaces }, { 0, lw_pod_check_host_paths },
    { 0, lw_pod_check_host_ports },      { 34, lw_pod_check_host_probes },
    { 0, lw_pod_check_privileged },      { 0, lw_pod_check_proc_mount },
    { 0, lw_pod_check_selinux },         { 0, lw_pod_check_seccomp },
    { 0, lw_pod_check_sysctls },         { 0, lw_pod_check_windows },
};

static const struct {
    int since;
    void (*check)(lw_pod_check_run *run);
    void (*overrides)(lw_pod_check_run *run); /* a check of baseline; NULL: none */
} restricted[] = {
    { 8, lw_pod_check_escalation, NULL },
    { 22, lw_pod_check_dropped_capabilities, lw_pod_check_capabilities },
    { 35, lw_pod_check_proc_mount_strictly, lw_pod_check_proc_mount },
    { 0, lw_pod_check_volumes, lw_pod_check_host_paths },
    { 0, lw_pod_check_non_root, NULL },
    { 23, lw_pod_check_user, NULL },
    { 19, lw_pod_check_seccomp_strictly, lw_pod_check_seccomp },
};

enum {
    BASELINE_COUNT = sizeof(baseline) / sizeof(baseline[0]),
    RESTRICTED_COUNT = sizeof(restricted) / sizeof(restricted[0]),
};

void lw_pod_report_init(lw_pod_report *report)
{
    *report = (lw_pod_report){ .count = 0 };
    lw_buf_init(&report->reasons, LW_POD_REPORT_MAX);
    lw_buf_init(&report->details, LW_POD_REPORT_MAX);
}

void lw_pod_report_done(lw_pod_report *report)
{
    lw_buf_done(&report->reasons);
    lw_buf_done(&report->details);
}

void lw_pod_texts_add(lw_pod_check_run *run, lw_pod_texts *texts, lw_str text)
{
    if (texts->count == texts->room) {
        size_t room = texts->room ? texts->room * 2 : ROOM_FIRST;
        lw_str *more = lw_arena_take_zero(&run->arena, room, sizeof(*more));
        if (!more)
            return;
        for (size_t i = 0; i < texts->count; i++)
            more[i] = texts->at[i];
        texts->at = more;
        texts->room = room;
    }
    texts->at[texts->count++] = text;
}

static int compare(const void *a, const void *b)
{
    return lw_str_compare(*(const lw_str *)a, *(const lw_str *)b);
}

void lw_pod_texts_sort(lw_pod_texts *texts)
{
    size_t kept = 0;
    if (texts->count > 0)
        qsort(texts->at, texts->count, sizeof(*texts->at), compare);
    for (size_t i = 0; i < texts->count; i++) {
        if (kept == 0 || !lw_str_equal(texts->at[kept - 1], texts->at[i]))
            texts->at[kept++] = texts->at[i];
    }
    texts->count = kept;
}

void lw_pod_append_quoted(lw_buf *out, const lw_pod_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++) {
        lw_buf_append_text(out, i > 0 ? ", \"" : "\"");
        lw_buf_append_str(out, texts->at[i]);
        lw_buf_append_char(out, '"');
    }
}

void lw_pod_append_containers(lw_buf *out, const lw_pod_texts *names)
{
    lw_buf_append_text(out, names->count == 1 ? "container " : "containers ");
    lw_pod_append_quoted(out, names);
}

void lw_pod_append_setters(lw_buf *out, bool is_pod, const lw_pod_texts *names)
{
    lw_buf_append_text(out, is_pod ? "pod" : "");
    lw_buf_append_text(out, is_pod && names->count > 0 ? " and " : "");
    if (names->count > 0)
        lw_pod_append_containers(out, names);
}

const lw_node *lw_pod_next(const lw_pod_check_run *run, lw_pod_walk *walk)
{
    static const char *const lists[] = { "initContainers", "containers", "ephemeralContainers" };
    for (; walk->list < sizeof(lists) / sizeof(lists[0]); walk->list++, walk->at = 0) {
        const lw_node *list = lw_node_get(run->spec, lw_str_of(lists[walk->list]));
        if (lw_node_is(list, LW_JSON_ARRAY) && walk->at < lw_node_count(list))
            return lw_node_at(list, walk->at++);
    }
    return NULL;
}

void lw_pod_violates(lw_pod_check_run *run, const char *reason, const lw_buf *detail)
{
    lw_pod_report *report = run->report;
    const char *comma = report->count++ > 0 ? ", " : "";
    lw_buf_append_text(&report->reasons, comma);
    lw_buf_append_text(&report->reasons, reason);
    lw_buf_append_text(&report->details, comma);
    lw_buf_append_text(&report->details, reason);
    if (detail->len > 0) {
        lw_buf_append_text(&report->details, " (");
        lw_buf_append_str(&report->details, lw_buf_view(detail));
        lw_buf_append_char(&report->details, ')');
    }
    if (detail->st < 0 && report->details.st == LW_OK)
        report->details.st = detail->st;
}

const lw_node *lw_pod_security(const lw_node *container)
{
    return lw_node_get(container, LW_STR("securityContext"));
}

bool lw_pod_has_user_namespace(const lw_pod_check_run *run)
{
    const lw_node *host_users = lw_node_get(run->spec, LW_STR("hostUsers"));
    return lw_node_is(host_users, LW_JSON_BOOL) && !lw_node_bool(host_users);
}

bool lw_pod_is_windows(const lw_pod_check_run *run)
{
    return lw_str_equal(lw_fields_text_at(run->spec, "/os/name"), LW_STR("windows"));
}

bool lw_pod_is_seccomp_good(const lw_node *profile)
{
    lw_str type = lw_fields_text(profile, "type");
    return lw_str_equal(type, LW_STR("RuntimeDefault")) || lw_str_equal(type, LW_STR("Localhost"));
}

/* True if a check of restricted takes the place of |check|. */
static bool is_overridden(void (*check)(lw_pod_check_run *run), int version)
{
    for (size_t i = 0; i < RESTRICTED_COUNT; i++) {
        if (restricted[i].overrides == check && version >= restricted[i].since)
            return true;
    }
    return false;
}

lw_status lw_pod_check(lw_pod_standard standard, const lw_node *metadata, const lw_node *spec,
                       lw_pod_report *report)
{
    bool is_restricted = standard.level == LW_POD_RESTRICTED;
    int version =
        standard.version > LW_POD_VERSION_NEWEST ? LW_POD_VERSION_NEWEST : standard.version;
    lw_pod_check_run run = { .metadata = metadata,
                             .spec = spec,
                             .security = lw_pod_security(spec),
                             .version = version,
                             .report = report };
    if (standard.level == LW_POD_PRIVILEGED)
        return LW_OK;
    lw_arena_init(&run.arena, LISTS_MAX);
    for (size_t i = 0; i < BASELINE_COUNT; i++) {
        if (version >= baseline[i].since &&
            !(is_restricted && is_overridden(baseline[i].check, version)))
            baseline[i].check(&run);
    }
    for (size_t i = 0; is_restricted && i < RESTRICTED_COUNT; i++) {
        if (version >= restricted[i].since)
            restricted[i].check(&run);
    }
    lw_status st = run.arena.st;
    if (st == LW_OK)
        st = report->details.st < 0 ? report->details.st : report->reasons.st;
    lw_arena_done(&run.arena);
    return st;
}
