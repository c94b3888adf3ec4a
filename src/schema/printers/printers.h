/* SPDX-License-Identifier: Apache-2.0 */
/* printers.h -- the tables of columns, one per kind, and the cells that many of them share. */
#ifndef LW_SCHEMA_PRINTERS_PRINTERS_H
#define LW_SCHEMA_PRINTERS_PRINTERS_H

#include "schema/printers/table_column.h"

/* Cells for any kind. */
void lw_table_cell_name(const lw_table_column *column, lw_row *row, lw_json_writer *w);
/* The time since the timestamp at column->pointer; NULL: since creation. */
void lw_table_cell_age(const lw_table_column *column, lw_row *row, lw_json_writer *w);
/* The creation timestamp. */
void lw_table_cell_created(const lw_table_column *column, lw_row *row, lw_json_writer *w);
/* The string at column->pointer; else "", "<none>", "<unset>" or "<unknown>". */
void lw_table_cell_string(const lw_table_column *column, lw_row *row, lw_json_writer *w);
void lw_table_cell_string_or_none(const lw_table_column *column, lw_row *row, lw_json_writer *w);
void lw_table_cell_string_or_unset(const lw_table_column *column, lw_row *row, lw_json_writer *w);
void lw_table_cell_string_or_unknown(const lw_table_column *column, lw_row *row, lw_json_writer *w);
/* The integer or boolean at column->pointer; else 0 and false. */
void lw_table_cell_int(const lw_table_column *column, lw_row *row, lw_json_writer *w);
void lw_table_cell_bool(const lw_table_column *column, lw_row *row, lw_json_writer *w);
/* The number of elements or members at column->pointer. */
void lw_table_cell_count(const lw_table_column *column, lw_row *row, lw_json_writer *w);
/* The LabelSelector, and the map of labels, at column->pointer; else "<none>". */
void lw_table_cell_selector(const lw_table_column *column, lw_row *row, lw_json_writer *w);
void lw_table_cell_labels(const lw_table_column *column, lw_row *row, lw_json_writer *w);
/* The names and the images of the containers at column->pointer, separated by commas. */
void lw_table_cell_container_names(const lw_table_column *column, lw_row *row, lw_json_writer *w);
void lw_table_cell_container_images(const lw_table_column *column, lw_row *row, lw_json_writer *w);
/* The value at the JSONPath column->pointer (jsonpath.h) of a custom resource, by the type of the
 * column: strings, numbers and booleans as they are, dates as ages; null if there is none. */
void lw_table_cell_custom(const lw_table_column *column, lw_row *row, lw_json_writer *w);

/* Entries of a table of columns: title, type, priority, pointer, cell and description. */
#define LW_COLUMN(title, kind, wide, at, cell_fn, text)                                            \
    {                                                                                              \
        .name = LW_STR_INIT(title), .type = LW_STR_INIT(kind), .priority = (wide),                 \
        .pointer = (at), .cell = (cell_fn), .description = LW_STR_INIT(text)                       \
    }
#define LW_TABLE_COLUMN_NAME_BY(wide, cell_fn)                                                     \
    {                                                                                              \
        .name = LW_STR_INIT("Name"), .type = LW_STR_INIT("string"), .format = LW_STR_INIT("name"), \
        .priority = (wide), .cell = (cell_fn), .description = LW_STR_INIT("Name of the object.")   \
    }
#define LW_TABLE_COLUMN_NAME LW_TABLE_COLUMN_NAME_BY(0, lw_table_cell_name)
#define LW_TABLE_COLUMN_AGE                                                                        \
    LW_COLUMN("Age", "string", 0, NULL, lw_table_cell_age, "Time since the object was created.")
#define LW_TABLE_COLUMN_CREATED                                                                    \
    LW_COLUMN("Created At", "date", 0, NULL, lw_table_cell_created,                                \
              "Time when the object was created.")
#define LW_TABLE_COLUMN_CONTAINERS(wide, at)                                                       \
    LW_COLUMN("Containers", "string", wide, at, lw_table_cell_container_names,                     \
              "Names of the containers.")
#define LW_TABLE_COLUMN_IMAGES(wide, at)                                                           \
    LW_COLUMN("Images", "string", wide, at, lw_table_cell_container_images,                        \
              "Images of the containers.")
#define LW_TABLE_COLUMN_END                                                                        \
    {                                                                                              \
        .cell = NULL                                                                               \
    }

/* printer_generic.c: Name and Created At, for kinds without a table of their own */
extern const lw_table_column lw_table_columns_default[];

/* printer_pod.c */
extern const lw_table_column lw_table_columns_pod[];
extern const lw_table_column lw_table_columns_podtemplate[];

/* printer_workload.c */
extern const lw_table_column lw_table_columns_replicationcontroller[];
extern const lw_table_column lw_table_columns_replicaset[];
extern const lw_table_column lw_table_columns_deployment[];
extern const lw_table_column lw_table_columns_statefulset[];
extern const lw_table_column lw_table_columns_daemonset[];
extern const lw_table_column lw_table_columns_controllerrevision[];

/* printer_job.c */
extern const lw_table_column lw_table_columns_job[];
extern const lw_table_column lw_table_columns_cronjob[];

/* printer_autoscaler.c */
extern const lw_table_column lw_table_columns_horizontalpodautoscaler[];

/* printer_service.c */
extern const lw_table_column lw_table_columns_service[];

/* printer_endpoints.c */
extern const lw_table_column lw_table_columns_endpoints[];
extern const lw_table_column lw_table_columns_endpointslice[];

/* printer_ingress.c */
extern const lw_table_column lw_table_columns_ingress[];
extern const lw_table_column lw_table_columns_ingressclass[];
extern const lw_table_column lw_table_columns_networkpolicy[];
extern const lw_table_column lw_table_columns_ipaddress[];
extern const lw_table_column lw_table_columns_servicecidr[];

/* printer_node.c */
extern const lw_table_column lw_table_columns_node[];

/* printer_event.c */
extern const lw_table_column lw_table_columns_event[];

/* printer_config.c */
extern const lw_table_column lw_table_columns_namespace[];
extern const lw_table_column lw_table_columns_componentstatus[];
extern const lw_table_column lw_table_columns_configmap[];
extern const lw_table_column lw_table_columns_customresourcedefinition[];
extern const lw_table_column lw_table_columns_secret[];
extern const lw_table_column lw_table_columns_serviceaccount[];
extern const lw_table_column lw_table_columns_resourcequota[];

/* printer_apiservice.c */
extern const lw_table_column lw_table_columns_apiservice[];

/* printer_certificates.c */
extern const lw_table_column lw_table_columns_certificatesigningrequest[];
extern const lw_table_column lw_table_columns_podcertificaterequest[];

/* printer_cluster.c */
extern const lw_table_column lw_table_columns_lease[];
extern const lw_table_column lw_table_columns_poddisruptionbudget[];
extern const lw_table_column lw_table_columns_priorityclass[];
extern const lw_table_column lw_table_columns_runtimeclass[];

/* printer_admission.c */
extern const lw_table_column lw_table_columns_webhookconfiguration[];
extern const lw_table_column lw_table_columns_flowschema[];
extern const lw_table_column lw_table_columns_prioritylevel[];

/* printer_access.c */
extern const lw_table_column lw_table_columns_rolebinding[];

/* printer_policy.c */
extern const lw_table_column lw_table_columns_admissionpolicybinding[];
extern const lw_table_column lw_table_columns_mutatingadmissionpolicy[];
extern const lw_table_column lw_table_columns_validatingadmissionpolicy[];

/* printer_resource.c */
extern const lw_table_column lw_table_columns_resourceclaim[];
extern const lw_table_column lw_table_columns_storageversionmigration[];

/* printer_volume.c */
extern const lw_table_column lw_table_columns_persistentvolume[];
extern const lw_table_column lw_table_columns_persistentvolumeclaim[];

/* printer_storage.c */
extern const lw_table_column lw_table_columns_csidriver[];
extern const lw_table_column lw_table_columns_csinode[];
extern const lw_table_column lw_table_columns_csistoragecapacity[];
extern const lw_table_column lw_table_columns_storageclass[];
extern const lw_table_column lw_table_columns_volumeattachment[];

#endif
