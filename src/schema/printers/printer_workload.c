/* SPDX-License-Identifier: Apache-2.0 */
/* printer_workload.c -- the columns of workloads. */
#include "base/str.h"
#include "schema/printers/printers.h"
#include "schema/printers/table_cell.h"
#include "schema/printers/value.h"

static const char template_containers[] = "/spec/template/spec/containers";

/* "2/3": ready and desired replicas. */
static void cell_ready_of_wanted(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    lw_table_cell_append_int(&text, lw_value_int(row->status, "/readyReplicas", 0));
    lw_buf_append_char(&text, '/');
    lw_table_cell_append_int(&text, lw_value_int(row->spec, "/replicas", 1));
    lw_table_cell_end(&text, "", w);
}

/* The desired replicas; the default is one. */
static void cell_wanted(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    (void)column;
    lw_json_write_int(w, lw_value_int(row->spec, "/replicas", 1));
}

/* Returns the owner that is the controller of the object; empty if there is none. */
static lw_str controller_of(const lw_row *row)
{
    lw_str owner;
    for (lw_value_walk walk = lw_value_elements(row->metadata, "/ownerReferences");
         lw_value_next_element(&walk, &owner);) {
        if (lw_value_bool(owner, "/controller", false))
            return owner;
    }
    return LW_STR("");
}

/* "statefulset.apps/web" */
static void cell_controller(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str owner = controller_of(row), group, version;
    lw_buf text, api_version;
    (void)column;
    lw_table_cell_begin(&text);
    lw_table_cell_begin(&api_version);
    if (owner.len > 0) {
        (void)lw_value_append(owner, "/kind", &text);
        (void)lw_value_append(owner, "/apiVersion", &api_version);
        if (lw_str_cut(lw_buf_view(&api_version), '/', &group, &version)) {
            lw_buf_append_char(&text, '.');
            lw_buf_append_str(&text, group);
        }
        lw_table_cell_to_lower(&text);
        lw_buf_append_char(&text, '/');
        (void)lw_value_append(owner, "/name", &text);
    }
    if (api_version.st < 0 && text.st == LW_OK)
        text.st = api_version.st;
    lw_buf_done(&api_version);
    lw_table_cell_end(&text, "<none>", w);
}

#define COLUMN_SELECTOR(cell_fn)                                                                   \
    LW_COLUMN("Selector", "string", 1, "/spec/selector", cell_fn, "Label selector of the pods.")

#define COLUMNS_REPLICAS                                                                           \
    LW_COLUMN("Desired", "integer", 0, NULL, cell_wanted, "Desired number of pods."),              \
        LW_COLUMN("Current", "integer", 0, "/status/replicas", lw_table_cell_int,                  \
                  "Current number of pods."),                                                      \
        LW_COLUMN("Ready", "integer", 0, "/status/readyReplicas", lw_table_cell_int,               \
                  "Number of ready pods.")

const lw_table_column lw_table_columns_replicationcontroller[] = {
    LW_TABLE_COLUMN_NAME,
    COLUMNS_REPLICAS,
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_CONTAINERS(1, template_containers),
    LW_TABLE_COLUMN_IMAGES(1, template_containers),
    COLUMN_SELECTOR(lw_table_cell_labels),
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_replicaset[] = {
    LW_TABLE_COLUMN_NAME,
    COLUMNS_REPLICAS,
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_CONTAINERS(1, template_containers),
    LW_TABLE_COLUMN_IMAGES(1, template_containers),
    COLUMN_SELECTOR(lw_table_cell_selector),
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_deployment[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Ready", "string", 0, NULL, cell_ready_of_wanted,
              "Number of ready pods and of desired pods."),
    LW_COLUMN("Up-to-date", "string", 0, "/status/updatedReplicas", lw_table_cell_int,
              "Number of pods that match the current template."),
    LW_COLUMN("Available", "string", 0, "/status/availableReplicas", lw_table_cell_int,
              "Number of available pods."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_CONTAINERS(1, template_containers),
    LW_TABLE_COLUMN_IMAGES(1, template_containers),
    COLUMN_SELECTOR(lw_table_cell_selector),
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_statefulset[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Ready", "string", 0, NULL, cell_ready_of_wanted,
              "Number of ready pods and of desired pods."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_CONTAINERS(1, template_containers),
    LW_TABLE_COLUMN_IMAGES(1, template_containers),
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_daemonset[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Desired", "integer", 0, "/status/desiredNumberScheduled", lw_table_cell_int,
              "Number of nodes that should run the pod."),
    LW_COLUMN("Current", "integer", 0, "/status/currentNumberScheduled", lw_table_cell_int,
              "Number of nodes that run the pod and should."),
    LW_COLUMN("Ready", "integer", 0, "/status/numberReady", lw_table_cell_int,
              "Number of nodes whose pod is ready."),
    LW_COLUMN("Up-to-date", "integer", 0, "/status/updatedNumberScheduled", lw_table_cell_int,
              "Number of nodes whose pod matches the current template."),
    LW_COLUMN("Available", "integer", 0, "/status/numberAvailable", lw_table_cell_int,
              "Number of nodes whose pod is available."),
    LW_COLUMN("Node Selector", "string", 0, "/spec/template/spec/nodeSelector",
              lw_table_cell_labels, "Labels that a node must have."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_CONTAINERS(1, template_containers),
    LW_TABLE_COLUMN_IMAGES(1, template_containers),
    COLUMN_SELECTOR(lw_table_cell_selector),
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_controllerrevision[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Controller", "string", 0, NULL, cell_controller,
              "Controller that the revision belongs to."),
    LW_COLUMN("Revision", "string", 0, "/revision", lw_table_cell_int, "Revision number."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};
