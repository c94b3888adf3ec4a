/* SPDX-License-Identifier: Apache-2.0 */
/* printer_volume.c -- the columns of volumes and claims. */
#include "base/str.h"
#include "schema/printers/printers.h"
#include "schema/printers/table_cell.h"
#include "schema/printers/value.h"
#include "json/text.h"

/* The abbreviations of access modes, in display order. */
static const struct {
    lw_str mode;
    const char *text;
} access_modes[] = {
    { LW_STR_INIT("ReadWriteOnce"), "RWO" },
    { LW_STR_INIT("ReadOnlyMany"), "ROX" },
    { LW_STR_INIT("ReadWriteMany"), "RWX" },
    { LW_STR_INIT("ReadWriteOncePod"), "RWOP" },
};

static void append_access_modes(lw_buf *text, lw_str modes)
{
    for (size_t i = 0; i < sizeof(access_modes) / sizeof(access_modes[0]); i++) {
        bool is_found = false;
        lw_str mode;
        for (lw_value_walk walk = lw_value_elements(modes, "");
             !is_found && lw_value_next_element(&walk, &mode);)
            is_found = lw_value_is(mode, "", access_modes[i].mode);
        if (!is_found)
            continue;
        lw_table_cell_separate(text, 0, ",");
        lw_buf_append_text(text, access_modes[i].text);
    }
}

static void cell_volume_modes(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    append_access_modes(&text, lw_value_at(row->spec, "/accessModes"));
    lw_table_cell_end(&text, "", w);
}

static void cell_volume_capacity(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    (void)lw_value_append(row->spec, "/capacity/storage", &text);
    lw_table_cell_end(&text, "0", w);
}

/* A claim shows capacity and modes once it is bound to a volume. */
static void cell_claim_modes(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    if (lw_value_at(row->spec, "/volumeName").len > 2)
        append_access_modes(&text, lw_value_at(row->status, "/accessModes"));
    lw_table_cell_end(&text, "", w);
}

static void cell_claim_capacity(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    bool is_bound = lw_value_at(row->spec, "/volumeName").len > 2;
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    if (is_bound)
        (void)lw_value_append(row->status, "/capacity/storage", &text);
    lw_table_cell_end(&text, is_bound ? "0" : "", w);
}

static void cell_phase(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    if (lw_value_at(row->metadata, "/deletionTimestamp").len > 0)
        lw_buf_append_text(&text, "Terminating");
    else
        (void)lw_value_append(row->status, "/phase", &text);
    lw_table_cell_end(&text, "", w);
}

/* "default/data-0" */
static void cell_claim(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    lw_str claim = lw_value_at(row->spec, "/claimRef");
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    if (claim.len > 0) {
        (void)lw_value_append(claim, "/namespace", &text);
        lw_buf_append_char(&text, '/');
        (void)lw_value_append(claim, "/name", &text);
    }
    lw_table_cell_end(&text, "", w);
}

/* The beta annotation for the class, if present, overrides the field. */
static void cell_class(const lw_table_column *column, lw_row *row, lw_json_writer *w)
{
    static const char annotation[] = "/annotations/volume.beta.kubernetes.io~1storage-class";
    lw_buf text;
    (void)column;
    lw_table_cell_begin(&text);
    if (lw_value_at(row->metadata, annotation).len > 0)
        (void)lw_value_append(row->metadata, annotation, &text);
    else
        (void)lw_value_append(row->spec, "/storageClassName", &text);
    lw_table_cell_end(&text, "", w);
}

#define COLUMN_CLASS                                                                               \
    LW_COLUMN("StorageClass", "string", 0, NULL, cell_class, "Name of the StorageClass.")
#define COLUMN_ATTRIBUTES                                                                          \
    LW_COLUMN("VolumeAttributesClass", "string", 0, "/spec/volumeAttributesClassName",             \
              lw_table_cell_string_or_unset, "Name of the VolumeAttributesClass.")
#define COLUMN_MODE                                                                                \
    LW_COLUMN("VolumeMode", "string", 1, "/spec/volumeMode", lw_table_cell_string_or_unset,        \
              "Volume mode: Filesystem or Block.")

const lw_table_column lw_table_columns_persistentvolume[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Capacity", "string", 0, NULL, cell_volume_capacity, "Size of the volume."),
    LW_COLUMN("Access Modes", "string", 0, NULL, cell_volume_modes, "Access modes of the volume."),
    LW_COLUMN("Reclaim Policy", "string", 0, "/spec/persistentVolumeReclaimPolicy",
              lw_table_cell_string, "What happens to the volume when its claim is deleted."),
    LW_COLUMN("Status", "string", 0, NULL, cell_phase, "Phase of the volume."),
    LW_COLUMN("Claim", "string", 0, NULL, cell_claim, "Claim that the volume is bound to."),
    COLUMN_CLASS,
    COLUMN_ATTRIBUTES,
    LW_COLUMN("Reason", "string", 0, "/status/reason", lw_table_cell_string,
              "Reason for the phase."),
    LW_TABLE_COLUMN_AGE,
    COLUMN_MODE,
    LW_TABLE_COLUMN_END,
};

const lw_table_column lw_table_columns_persistentvolumeclaim[] = {
    LW_TABLE_COLUMN_NAME,
    LW_COLUMN("Status", "string", 0, NULL, cell_phase, "Phase of the claim."),
    LW_COLUMN("Volume", "string", 0, "/spec/volumeName", lw_table_cell_string,
              "Volume that is bound to the claim."),
    LW_COLUMN("Capacity", "string", 0, NULL, cell_claim_capacity, "Size of the bound volume."),
    LW_COLUMN("Access Modes", "string", 0, NULL, cell_claim_modes, "Access modes of the volume."),
    COLUMN_CLASS,
    COLUMN_ATTRIBUTES,
    LW_TABLE_COLUMN_AGE,
    COLUMN_MODE,
    LW_TABLE_COLUMN_END,
};
