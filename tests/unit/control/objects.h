/* SPDX-License-Identifier: Apache-2.0 */
/* objects.h -- objects for tests, from JSON with ' for ". */
#ifndef LW_TESTS_UNIT_CONTROL_OBJECTS_H
#define LW_TESTS_UNIT_CONTROL_OBJECTS_H

#include <stdarg.h>
#include <stdio.h>

#include <listwatch.h>

#include "unit/test.h"

/* One object; the caller unrefs it. */
LW_PRINTF(1, 2) static inline lw_object *object_of(const char *format, ...)
{
    char json[8192];
    lw_object *obj = NULL;
    lw_error err = LW_ERROR_INIT;
    va_list args;
    va_start(args, format);
    int len = vsnprintf(json, sizeof(json), format, args);
    va_end(args);
    assert_in_range(len, 0, sizeof(json) - 1);
    for (char *at = json; *at; at++) {
        if (*at == '\'')
            *at = '"';
    }
    if (lw_object_from_json(&obj, json, (size_t)len, &err) < 0)
        fail_msg("%s: %s", json, err.message);
    return obj;
}

/* A pod with |spec| after its containers: "'nodeName':'n1'", and |more| in its metadata. */
static inline lw_object *pod_of(const char *name, const char *more, const char *spec)
{
    return object_of(
        "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'%s','namespace':'default',"
        "'uid':'uid-%s'%s%s},'spec':{%s}}",
        name, name, more[0] ? "," : "", more, spec);
}

/* A node that is ready, with |cpu| and room for |pods|; |spec| and |labels| are JSON members. */
static inline lw_object *node_of(const char *name, const char *cpu, int pods, const char *labels,
                                 const char *spec)
{
    return object_of("{'apiVersion':'v1','kind':'Node','metadata':{'name':'%s','labels':{%s}},"
                     "'spec':{%s},'status':{'allocatable':{'cpu':'%s','memory':'8Gi','pods':'%d'},"
                     "'conditions':[{'type':'Ready','status':'True'}]}}",
                     name, labels, spec, cpu, pods);
}

#endif
