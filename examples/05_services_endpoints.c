/* SPDX-License-Identifier: Apache-2.0 */
/* 05_services_endpoints.c -- joins services and their endpoint slices, as kube-proxy does.
 *
 *     05_services_endpoints     one line per service, printed again when it changes; until Ctrl-C
 *
 * Two informers, one connection, one thread: the handlers never run at the same time. */
#define _POSIX_C_SOURCE 200809L /* sigwait */

#include <signal.h>
#include <stdio.h>

#include <listwatch.h>

typedef struct proxy {
    lw_informer *services;
    lw_informer *slices;
} proxy;

static const char service_label[] = "kubernetes.io/service-name";
/* Indexes slices by "namespace/service". */
static void index_by_service(const lw_object *slice, void (*add)(void *to, lw_str value), void *to,
                             void *arg)
{
    char key[512];
    (void)arg;
    const char *service = lw_object_label(slice, service_label);
    snprintf(key, sizeof(key), "%s/%s", lw_object_namespace(slice), service ? service : "");
    add(to, lw_str_of(key));
}

static void print_addresses(const lw_object *slice)
{
    char at[64] = "/endpoints/0/addresses/0";
    const char *address;
    for (int i = 0; (address = lw_object_string(slice, at, NULL)) != NULL;) {
        snprintf(at, sizeof(at), "/endpoints/%d/conditions/ready", i);
        if (lw_object_bool(slice, at, true)) /* absent means ready */
            printf(" %s:%d", address, (int)lw_object_int(slice, "/ports/0/port", 0));
        snprintf(at, sizeof(at), "/endpoints/%d/addresses/0", ++i);
    }
}

static void print_service(const proxy *p, const char *ns, const char *name)
{
    char key[512];
    lw_object_list *slices = NULL;
    lw_object *service = lw_lister_get(lw_informer_lister(p->services), ns, name);
    snprintf(key, sizeof(key), "%s/%s", ns, name);
    printf("%s %s ->", key, service ? lw_object_string(service, "/spec/clusterIP", "-") : "gone");
    if (service &&
        lw_lister_by_index(lw_informer_lister(p->slices), "service", key, &slices, NULL) == LW_OK) {
        for (size_t i = 0; i < lw_object_list_count(slices); i++)
            print_addresses(lw_object_list_at(slices, i));
    }
    printf("\n");
    fflush(stdout);
    lw_object_list_free(slices);
    lw_object_unref(service);
}

static void on_service(const lw_event *event, void *arg)
{
    print_service(arg, lw_object_namespace(event->object), lw_object_name(event->object));
}

static void on_slice(const lw_event *event, void *arg)
{
    const char *service = lw_object_label(event->object, service_label);
    if (service)
        print_service(arg, lw_object_namespace(event->object), service);
}

int main(void)
{
    lw_error err = LW_ERROR_INIT;
    lw_factory *factory = NULL;
    proxy p;
    const lw_handler of_services = { .on_event = on_service, .arg = &p };
    const lw_handler of_slices = { .on_event = on_slice, .arg = &p };
    sigset_t signals;
    int number = 0;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);

    if (lw_factory_new(&factory, NULL, &err) < 0 ||
        lw_factory_informer(factory, "services", &p.services, &err) < 0 ||
        lw_factory_informer(factory, "endpointslices.discovery.k8s.io", &p.slices, &err) < 0 ||
        lw_informer_add_index(p.slices, "service", index_by_service, NULL, &err) < 0 ||
        lw_informer_add_handler(p.services, &of_services, NULL, &err) < 0 ||
        lw_informer_add_handler(p.slices, &of_slices, NULL, &err) < 0 ||
        lw_factory_start(factory, &err) < 0)
        fprintf(stderr, "05_services_endpoints: %s\n", err.message);
    else
        sigwait(&signals, &number);
    lw_factory_free(factory);
    return number == 0;
}
