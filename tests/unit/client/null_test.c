/* SPDX-License-Identifier: Apache-2.0 */
/* null_test.c -- what may be NULL by the conventions of the library: everything that is freed. */
#include <listwatch.h>
#include <listwatch/server.h>
#include <listwatch/server_webhook.h>

#include "base/str.h"
#include "unit/test.h"

static void freeing_nothing_does_nothing(void **state)
{
    (void)state;
    lw_async_free(NULL);
    lw_client_unref(NULL);
    lw_config_unref(NULL);
    lw_document_free(NULL);
    lw_election_free(NULL);
    lw_event_reader_free(NULL);
    lw_factory_free(NULL);
    lw_field_selector_free(NULL);
    lw_label_selector_free(NULL);
    lw_list_reader_free(NULL);
    lw_manager_free(NULL);
    lw_manifest_reader_free(NULL);
    lw_manual_clock_free(NULL);
    lw_object_list_free(NULL);
    lw_object_unref(NULL);
    lw_printer_free(NULL);
    lw_reconciler_free(NULL);
    lw_recorder_free(NULL);
    lw_request_cancel(NULL);
    lw_response_free(NULL);
    lw_server_stop(NULL, 1);
    lw_stream_cancel(NULL);
    lw_webhook_server_free(NULL);
    lw_workqueue_free(NULL);
}

static void errors_need_not_be_taken(void **state)
{
    (void)state;
    lw_label_selector *labels = NULL;
    lw_config *config = NULL;
    const lw_config_options nowhere = { .kubeconfig = "/nonexistent" };
    assert_int_equal(lw_label_selector_parse(&labels, LW_STR("a in ("), NULL), LW_ERR_SYNTAX);
    assert_true(lw_config_load(&config, &nowhere, NULL) < 0);
    assert_null(labels);
    assert_null(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(freeing_nothing_does_nothing),
        TEST(errors_need_not_be_taken),
    };
    return cmocka_run_group_tests_name("null", tests, NULL, NULL);
}
