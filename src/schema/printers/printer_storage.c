/* SPDX-License-Identifier: Apache-2.0 */
/* printer_storage.c -- the columns of storage.k8s.io. */
#include "base/str.h"
#include "object/object.h"
#include "schema/printers/printers.h"
#include "schema/printers/table_cell.h"
#include "schema/printers/value.h"

static bool is_default_class(lw_str metadata)
{
    static const char *const annotations[] = {
        "/annotations/storageclass.kubernetes.io~1is-default-class",
        "/annotations/storageclass.beta.kubernetes.io~1is-default-class",
    };
    return lw_value_is(metadata, annotations[0], LW_STR("true")) ||
           lw_value_is(metadata, annotations[1], LW_STR("true"));
}

/* The name, and "(default)" for the default class. */
static void cell_class_name(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    lw_buf_append_str(&text, lw_object__field(row->obj, LW_OBJECT_NAME));
    if (is_default_class(row->metadata))
        lw_buf_append_text(&text, " (default)");
    lw_table_cell_end(&text, "", w);
}

static void cell_reclaim_policy(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_buf text;
    lw_table_cell_begin(&text);
    (void)lw_value_append(lw_row_at(row, column->pointer), "", &text);
    lw_table_cell_end(&text, "Delete", w);
}

static void cell_binding_mode(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_buf text;
    lw_table_cell_begin(&text);
    (void)lw_value_append(lw_row_at(row, column->pointer), "", &text);
    lw_table_cell_end(&text, "Immediate", w);
}

static void cell_attach_required(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_json_write_bool(w, lw_value_bool(lw_row_at(row, column->pointer), "", true));
}

static void cell_token_requests(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str requests = lw_row_at(row, column->pointer);
    lw_buf text;
    lw_table_cell_begin(&text);
    lw_table_cell_append_each(&text, requests, "/audience", ",");
    lw_table_cell_end(&text, requests.len > 0 ? "" : "<unset>", w);
}

static void cell_modes(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_buf text;
    lw_table_cell_begin(&text);
    lw_table_cell_append_each(&text, lw_row_at(row, column->pointer), "", ",");
    lw_table_cell_end(&text, "<none>", w);
}

const lw_table_column lw_table_columns_csidriver[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("AttachRequired", "boolean", 0, "/spec/attachRequired", cell_attach_required,
              "Whether volumes must be attached before they are mounted."),
    LW_COLUMN("PodInfoOnMount", "boolean", 0, "/spec/podInfoOnMount", lw_table_cell_bool,
              "Whether the driver gets information about the pod."),
    LW_COLUMN("StorageCapacity", "boolean", 0, "/spec/storageCapacity", lw_table_cell_bool,
              "Whether the driver reports its capacity."),
    LW_COLUMN("TokenRequests", "string", 0, "/spec/tokenRequests", cell_token_requests,
              "Audiences of the tokens that the driver gets."),
    LW_COLUMN("RequiresRepublish", "boolean", 0, "/spec/requiresRepublish", lw_table_cell_bool,
              "Whether mounted volumes are refreshed periodically."),
    LW_COLUMN("Modes", "string", 0, "/spec/volumeLifecycleModes", cell_modes,
              "Volume lifecycle modes that the driver supports."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_csinode[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Drivers", "integer", 0, "/spec/drivers", lw_table_cell_count,
              "Number of drivers on the node."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_csistoragecapacity[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("StorageClassName", "string", 0, "/storageClassName", lw_table_cell_string,
              "Name of the StorageClass."),
    LW_COLUMN("Capacity", "string", 0, "/capacity", lw_table_cell_string_or_unset,
              "Available capacity."),
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_storageclass[] = {
    LW_TABLE_COLUMN_NAME_BY(0, cell_class_name),
    LW_COLUMN("Provisioner", "string", 0, "/provisioner", lw_table_cell_string,
              "Provisioner of the volumes."),
    LW_COLUMN("ReclaimPolicy", "string", 0, "/reclaimPolicy", cell_reclaim_policy,
              "What happens to a volume when its claim is deleted."),
    LW_COLUMN("VolumeBindingMode", "string", 0, "/volumeBindingMode", cell_binding_mode,
              "When volumes are provisioned and bound."),
    LW_COLUMN("AllowVolumeExpansion", "string", 0, "/allowVolumeExpansion", lw_table_cell_bool,
              "Whether volumes can be expanded."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_volumeattachment[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Attacher", "string", 0, "/spec/attacher", lw_table_cell_string,
              "Driver that attaches the volume."),
    LW_COLUMN("PV", "string", 0, "/spec/source/persistentVolumeName", lw_table_cell_string,
              "Name of the PersistentVolume."),
    LW_COLUMN("Node", "string", 0, "/spec/nodeName", lw_table_cell_string, "Name of the node."),
    LW_COLUMN("Attached", "boolean", 0, "/status/attached", lw_table_cell_bool,
              "Whether the volume is attached."),
    LW_TABLE_COLUMN_AGE,
    LW_TABLE_COLUMN_END,
};
