/* SPDX-License-Identifier: Apache-2.0 */
/* download.c -- gets a response of any type and size, as it arrives. */
#include "base/error.h"
#include "client/call.h"
#include "client/session.h"

typedef struct download_wait {
    lw_client_wait wait;
    lw_bytes_fn on_bytes;
    void *arg;
} download_wait;

static lw_status download_on_bytes(const char *bytes, size_t len, void *arg)
{
    download_wait *waiting = arg;
    return waiting->on_bytes(bytes, len, waiting->arg);
}

static void download_on_end(lw_str body, void *arg)
{
    download_wait *waiting = arg;
    (void)body;
    lw_client__end(&waiting->wait, NULL);
}

static void download_on_fail(const lw_error *err, void *arg)
{
    download_wait *waiting = arg;
    lw_client__end(&waiting->wait, err);
}

lw_status lw_client_download(lw_client *client, const char *path, lw_bytes_fn on_bytes, void *arg,
                             lw_error *err)
{
    download_wait waiting = { .on_bytes = on_bytes, .arg = arg };
    const lw_source_sink sink = { .on_fail = download_on_fail, .arg = &waiting };
    lw_session *session = NULL;
    lw_session_call *call = NULL;
    if (path[0] != '/')
        return lw_error_set(err, LW_ERR_INVALID, "the path \"%s\" does not begin with /", path);
    lw_status st = lw_client__take_session(client, &session, err);
    if (st < 0)
        return st;
    st = lw_session_download(session, path, download_on_bytes, download_on_end, &sink, &call, err);
    if (st == LW_OK) {
        lw_client__drive(session, &waiting.wait);
        st = lw_client__result(&waiting.wait, err);
    }
    lw_client__leave_session(client, session, &waiting.wait);
    return st;
}
