/* SPDX-License-Identifier: Apache-2.0 */
/* oom.h -- scenarios that are run with every allocation failing in turn.
 *
 * A scenario uses a part of the library like a program, and frees everything in any case.  It
 * checks its results: a wrong result with LW_OK is reported as LW_ERR_INTERNAL, so that an
 * unnoticed failure does not count as a tolerated one. */
#ifndef LW_TESTS_OOM_OOM_H
#define LW_TESTS_OOM_OOM_H

#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>

typedef struct oom_scenario {
    const char *name;
    lw_status (*run)(lw_error *err); /* returns LW_OK, or LW_ERR_NOMEM if an allocation failed */
} oom_scenario;

/* The result of oom_check. */
typedef struct oom_report {
    uint64_t allocations; /* of a run without failures */
    uint64_t points;      /* number of allocations that were made to fail */
    uint64_t tolerated;   /* runs with a failure that returned LW_OK */
    char problem[1024];   /* the problem of the scenario, or "" */
} oom_report;

/* Runs |scenario| without failures, then for each i with only allocation i failing, and with all
 * from i on failing.  True if every run returned LW_OK or LW_ERR_NOMEM, freed everything, did not
 * write outside its blocks, and the library still works at the end.  Very long scenarios are
 * sampled (report->points is the number of samples).  Threads: one. */
bool oom_check(const oom_scenario *scenario, oom_report *report);

/* The scenarios of each module, in tests/oom/<module>_scenarios.c. */
extern const oom_scenario api_scenarios[];
extern const size_t api_scenario_count;
extern const oom_scenario authz_scenarios[];
extern const size_t authz_scenario_count;
extern const oom_scenario webhook_scenarios[];
extern const size_t webhook_scenario_count;
extern const oom_scenario audit_scenarios[];
extern const size_t audit_scenario_count;
extern const oom_scenario base_scenarios[];
extern const size_t base_scenario_count;
extern const oom_scenario cache_scenarios[];
extern const size_t cache_scenario_count;
extern const oom_scenario policies_scenarios[];
extern const size_t policies_scenario_count;
extern const oom_scenario cel_scenarios[];
extern const size_t cel_scenario_count;
extern const oom_scenario certificates_scenarios[];
extern const size_t certificates_scenario_count;
extern const oom_scenario conversion_scenarios[];
extern const size_t conversion_scenario_count;
extern const oom_scenario client_scenarios[];
extern const size_t client_scenario_count;
extern const oom_scenario control_scenarios[];
extern const size_t control_scenario_count;
extern const oom_scenario encryption_scenarios[];
extern const size_t encryption_scenario_count;
extern const oom_scenario etcd_scenarios[];
extern const size_t etcd_scenario_count;
extern const oom_scenario etcd_source_scenarios[];
extern const size_t etcd_source_scenario_count;
extern const oom_scenario factory_scenarios[];
extern const size_t factory_scenario_count;
extern const oom_scenario flow_scenarios[];
extern const size_t flow_scenario_count;
extern const oom_scenario factory_scenarios[];
extern const size_t factory_scenario_count;
extern const oom_scenario client_scenarios[];
extern const size_t client_scenario_count;
extern const oom_scenario lifecycle_scenarios[];
extern const size_t lifecycle_scenario_count;
extern const oom_scenario state_scenarios[];
extern const size_t state_scenario_count;
extern const oom_scenario scan_scenarios[];
extern const size_t scan_scenario_count;
extern const oom_scenario h2_scenarios[];
extern const size_t h2_scenario_count;
extern const oom_scenario h2_client_scenarios[];
extern const size_t h2_client_scenario_count;
extern const oom_scenario http_client_scenarios[];
extern const size_t http_client_scenario_count;
extern const oom_scenario json_scenarios[];
extern const size_t json_scenario_count;
extern const oom_scenario yaml_scenarios[];
extern const size_t yaml_scenario_count;
extern const oom_scenario selector_scenarios[];
extern const size_t selector_scenario_count;
extern const oom_scenario kubeconfig_scenarios[];
extern const size_t kubeconfig_scenario_count;
extern const oom_scenario object_scenarios[];
extern const size_t object_scenario_count;
extern const oom_scenario oidc_scenarios[];
extern const size_t oidc_scenario_count;
extern const oom_scenario store_scenarios[];
extern const size_t store_scenario_count;
extern const oom_scenario server_scenarios[];
extern const size_t server_scenario_count;
extern const oom_scenario reflector_scenarios[];
extern const size_t reflector_scenario_count;
extern const oom_scenario transport_scenarios[];
extern const size_t transport_scenario_count;
extern const oom_scenario operator_scenarios[];
extern const size_t operator_scenario_count;
extern const oom_scenario workqueue_scenarios[];
extern const size_t workqueue_scenario_count;
extern const oom_scenario schema_scenarios[];
extern const size_t schema_scenario_count;
extern const oom_scenario net_scenarios[];
extern const size_t net_scenario_count;
extern const oom_scenario tls_scenarios[];
extern const size_t tls_scenario_count;
extern const oom_scenario write_scenarios[];
extern const size_t write_scenario_count;

#endif
