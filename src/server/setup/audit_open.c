/* SPDX-License-Identifier: Apache-2.0 */
/* audit_open.c -- from the options of a server to auditing.  Defaults are those of kube-apiserver,
 * except for the mode of the log: a write to a slow disk would stop an event loop. */
#include "server/setup/audit_open.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"

enum {
    MAX_SIZE_MB = 100,
    MAX_AGE_DAYS = 366,
    MAX_BACKUPS = 100,
    BYTES_PER_MB = 1024 * 1024,
    BATCH_SIZE = 400,
    BATCH_WAIT_S = 30,
    BUFFER_SIZE = 10000,
    INITIAL_BACKOFF_S = 10,
    SECONDS_MAX = 365 * 24 * 3600,
};

static uint64_t or_default(int64_t value, uint64_t fallback)
{
    if (value == 0)
        return fallback;
    return value > 0 ? (uint64_t)value : 0;
}

static lw_status read_mode(const char *text, lw_audit_mode *mode, lw_error *err)
{
    static const char *const names[] = { [LW_AUDIT_BATCH] = "batch",
                                         [LW_AUDIT_BLOCKING] = "blocking",
                                         [LW_AUDIT_BLOCKING_STRICT] = "blocking-strict" };
    *mode = LW_AUDIT_BATCH;
    for (size_t i = 0; text && i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(text, names[i]) == 0) {
            *mode = (lw_audit_mode)i;
            return LW_OK;
        }
    }
    if (!text)
        return LW_OK;
    return lw_error_set(err, LW_ERR_INVALID,
                        "\"%s\" is not an audit log mode: use batch, blocking or blocking-strict",
                        text);
}

/* Reads a duration in seconds; 0: the default. */
static lw_status read_seconds(int64_t seconds, int64_t fallback, const char *what, int64_t *ns,
                              lw_error *err)
{
    if (seconds < 0 || seconds > SECONDS_MAX)
        return lw_error_set(err, LW_ERR_INVALID,
                            "the %s of the audit webhook must be between 1 second and a year",
                            what);
    *ns = (seconds ? seconds : fallback) * LW_NS_PER_S;
    return LW_OK;
}

static lw_status read_webhook(const lw_server_options *options, lw_audit_webhook_options *webhook,
                              lw_error *err)
{
    *webhook = (lw_audit_webhook_options){
        .config_file = options->audit_webhook_config_file,
        .batch_max_size = (size_t)or_default(options->audit_webhook_batch_max_size, BATCH_SIZE),
        .buffer_size = (size_t)or_default(options->audit_webhook_batch_buffer_size, BUFFER_SIZE),
        .logger = options->logger,
    };
    if (webhook->batch_max_size == 0 || webhook->buffer_size == 0)
        return lw_error_set(err, LW_ERR_INVALID,
                            "batch size and buffer size of the audit webhook must be positive");
    lw_status st = read_seconds(options->audit_webhook_batch_max_wait_s, BATCH_WAIT_S,
                                "longest wait", &webhook->batch_max_wait_ns, err);
    return st < 0 ? st
                  : read_seconds(options->audit_webhook_initial_backoff_s, INITIAL_BACKOFF_S,
                                 "initial backoff", &webhook->initial_backoff_ns, err);
}

lw_status lw_server_open_audit(lw_audit **out, const lw_server_options *options,
                               const lw_clock *clock, lw_error *err)
{
    uint64_t size_mb = or_default(options->audit_log_max_size_mb, MAX_SIZE_MB);
    *out = NULL;
    if (!options->audit_policy_file !=
        (!options->audit_log_path && !options->audit_webhook_config_file))
        return lw_error_set(err, LW_ERR_INVALID,
                            "auditing requires an audit policy file, and an audit log path or an "
                            "audit webhook: set both or neither");
    if (!options->audit_policy_file)
        return LW_OK;
    if (size_mb > INT64_MAX / BYTES_PER_MB)
        return lw_error_set(err, LW_ERR_INVALID, "the maximum size of the audit log is too large");
    lw_audit_options wanted = {
        .policy_file = options->audit_policy_file,
        .sink = { .log = { .path = options->audit_log_path,
                           .max_bytes = size_mb * BYTES_PER_MB,
                           .max_age_days =
                               or_default(options->audit_log_max_age_days, MAX_AGE_DAYS),
                           .max_backups = or_default(options->audit_log_max_backups, MAX_BACKUPS),
                           .compresses = options->audit_log_compress,
                           .clock = clock },
                  .logger = options->logger },
    };
    lw_status st = read_mode(options->audit_log_mode, &wanted.sink.mode, err);
    if (st == LW_OK)
        st = read_webhook(options, &wanted.webhook, err);
    return st < 0 ? st : lw_audit_new(out, &wanted, err);
}
