/* SPDX-License-Identifier: Apache-2.0 */
/* pod_nodes.c -- prints on which nodes pods run: reads a PodList while it arrives, prints the pods
 * that match a label selector, and holds one pod at a time.
 *
 *     kubectl get pods -A -o json | pod_nodes app=web */
#include <stdio.h>
#include <stdlib.h>

#include <listwatch.h>

typedef struct search {
    lw_label_selector *selector;
    size_t found;
} search;

static lw_status on_pod(const lw_object *pod, void *arg, lw_error *err)
{
    search *s = arg;
    (void)err;
    if (!lw_label_selector_matches(s->selector, pod))
        return LW_OK;
    s->found++;
    printf("%s/%s on %s\n", lw_object_namespace(pod), lw_object_name(pod),
           lw_object_string(pod, "/spec/nodeName", "<none>"));
    return LW_OK;
}

/* Feeds all of |in| to |reader|. */
static lw_status read_list(lw_list_reader *reader, FILE *in, lw_error *err)
{
    static char bytes[64 * 1024];
    size_t len;
    while ((len = fread(bytes, 1, sizeof(bytes), in)) > 0) {
        lw_status st = lw_list_reader_feed(reader, bytes, len, err);
        if (st < 0)
            return st;
    }
    return lw_list_reader_finish(reader, err);
}

int main(int argc, char **argv)
{
    /* Only this field of each pod is kept, besides what identifies it; the rest is never copied. */
    static const char *const fields[] = { "/spec/nodeName", NULL };
    lw_error err = LW_ERROR_INIT;
    search s = { NULL, 0 };
    lw_list_reader *reader = NULL;
    const lw_list_reader_options options = {
        .read = { .keep = fields },
        .on_object = on_pod,
        .arg = &s,
    };

    lw_status st = lw_label_selector_parse(&s.selector, lw_str_of(argc > 1 ? argv[1] : ""), &err);
    if (st == LW_OK)
        st = lw_list_reader_new(&reader, &options, &err);
    if (st == LW_OK)
        st = read_list(reader, stdin, &err);
    if (st == LW_OK)
        printf("%zu pods, as of resourceVersion %s\n", s.found,
               lw_list_reader_metadata(reader)->resource_version);
    else
        fprintf(stderr, "pod_nodes: %s\n", err.message);
    lw_list_reader_free(reader);
    lw_label_selector_free(s.selector);
    return st == LW_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
