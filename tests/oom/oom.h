/* SPDX-License-Identifier: Apache-2.0 */
/* oom.h -- scenarios that are run with every allocation failing in turn.
 *
 * A scenario uses a piece of the library as a program would and frees everything it made, whatever
 * happens.  It looks at what it got: an answer that is wrong but LW_OK is reported as
 * LW_ERR_INTERNAL, so that a failure nobody noticed cannot pass for one that was tolerated. */
#ifndef LW_TESTS_OOM_OOM_H
#define LW_TESTS_OOM_OOM_H

#include <stddef.h>
#include <stdint.h>

#include <listwatch/error.h>

typedef struct oom_scenario {
    const char *name;
    lw_status (*run)(lw_error *err); /* LW_OK, or LW_ERR_NOMEM when an allocation failed */
} oom_scenario;

/* What oom_check found. */
typedef struct oom_report {
    uint64_t allocations; /* of an undisturbed run */
    uint64_t points;      /* allocations that were made to fail, one after the other */
    uint64_t tolerated;   /* runs that came to LW_OK although one failed */
    char problem[1024];   /* what is wrong with the scenario, or "" */
} oom_report;

/* Runs |scenario| undisturbed, then with only allocation i failing and with all from i on failing,
 * for each i.  True when every run answered LW_OK or LW_ERR_NOMEM, left nothing allocated, wrote
 * outside no block, and the library still works at the end.  Very long scenarios are sampled
 * (report->points says how often).  One thread. */
bool oom_check(const oom_scenario *scenario, oom_report *report);

/* The scenarios of each module, in tests/oom/<module>_scenarios.c. */
extern const oom_scenario api_scenarios[];
extern const size_t api_scenario_count;
extern const oom_scenario base_scenarios[];
extern const size_t base_scenario_count;
extern const oom_scenario cache_scenarios[];
extern const size_t cache_scenario_count;
extern const oom_scenario cel_scenarios[];
extern const size_t cel_scenario_count;
extern const oom_scenario client_scenarios[];
extern const size_t client_scenario_count;
extern const oom_scenario control_scenarios[];
extern const size_t control_scenario_count;
extern const oom_scenario etcd_scenarios[];
extern const size_t etcd_scenario_count;
extern const oom_scenario etcd_source_scenarios[];
extern const size_t etcd_source_scenario_count;
extern const oom_scenario factory_scenarios[];
extern const size_t factory_scenario_count;
extern const oom_scenario factory_scenarios[];
extern const size_t factory_scenario_count;
extern const oom_scenario client_scenarios[];
extern const size_t client_scenario_count;
extern const oom_scenario lifecycle_scenarios[];
extern const size_t lifecycle_scenario_count;
extern const oom_scenario scan_scenarios[];
extern const size_t scan_scenario_count;
extern const oom_scenario h2_scenarios[];
extern const size_t h2_scenario_count;
extern const oom_scenario h2_client_scenarios[];
extern const size_t h2_client_scenario_count;
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
extern const oom_scenario store_scenarios[];
extern const size_t store_scenario_count;
extern const oom_scenario server_scenarios[];
extern const size_t server_scenario_count;
extern const oom_scenario reflector_scenarios[];
extern const size_t reflector_scenario_count;
extern const oom_scenario transport_scenarios[];
extern const size_t transport_scenario_count;
extern const oom_scenario workqueue_scenarios[];
extern const size_t workqueue_scenario_count;
extern const oom_scenario schema_scenarios[];
extern const size_t schema_scenario_count;
extern const oom_scenario net_scenarios[];
extern const size_t net_scenario_count;
extern const oom_scenario write_scenarios[];
extern const size_t write_scenario_count;

#endif
