/* SPDX-License-Identifier: Apache-2.0 */
/* admit_all.c -- a webhook that admits every request at once, so that what a call costs the API
 * server is not lost in the time of the webhook.
 *
 *   admit-all
 *
 * It prints "URL CA_BUNDLE" when it listens, and ends with its standard input.  webhook_bench.py
 * runs it. */
#include <listwatch.h>
#include <listwatch/server_webhook.h>

#include <stdio.h>

static void admit(const lw_webhook_admission *request, lw_webhook_response *response, void *arg)
{
    (void)request, (void)response, (void)arg; /* without a call of lw_webhook_deny it is allowed */
}

int main(void)
{
    const lw_webhook_server_options options = LW_WEBHOOK_SERVER_OPTIONS_INIT;
    lw_webhook_server *server = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_webhook_server_new(&server, &options, &err) < 0 ||
        lw_webhook_server_add_admission(server, "/", admit, NULL, &err) < 0 ||
        lw_webhook_server_start(server, &err) < 0) {
        fprintf(stderr, "admit-all: %s\n", err.message);
        lw_webhook_server_free(server);
        return 1;
    }
    printf("%s %s\n", lw_webhook_server_url(server), lw_webhook_server_ca_bundle(server));
    (void)fflush(stdout);
    while (getchar() != EOF) {
    }
    lw_webhook_server_free(server);
    return 0;
}
