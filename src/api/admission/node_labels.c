/* SPDX-License-Identifier: Apache-2.0 */
/* node_labels.c -- compares the labels of a node.
 *
 * Labels below node-restriction.kubernetes.io are for administrators only; of those below
 * kubernetes.io and k8s.io, nodes may set the ones that a kubelet sets; all others are free. */
#include "api/admission/node_labels.h"

#include "base/str.h"

/* Whether |domain| is |parent| or below it. */
static bool is_below(lw_str domain, lw_str parent)
{
    return lw_str_ends_with(domain, parent) &&
           (domain.len == parent.len || domain.ptr[domain.len - parent.len - 1] == '.');
}

static bool is_of_kubelet(lw_str key, lw_str domain)
{
    static const lw_str keys[] = {
        LW_STR_INIT("kubernetes.io/hostname"),
        LW_STR_INIT("topology.kubernetes.io/zone"),
        LW_STR_INIT("topology.kubernetes.io/region"),
        LW_STR_INIT("failure-domain.beta.kubernetes.io/zone"),
        LW_STR_INIT("failure-domain.beta.kubernetes.io/region"),
        LW_STR_INIT("beta.kubernetes.io/instance-type"),
        LW_STR_INIT("node.kubernetes.io/instance-type"),
        LW_STR_INIT("kubernetes.io/os"),
        LW_STR_INIT("kubernetes.io/arch"),
        LW_STR_INIT("beta.kubernetes.io/os"),
        LW_STR_INIT("beta.kubernetes.io/arch"),
    };
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (lw_str_equal(key, keys[i]))
            return true;
    }
    return is_below(domain, LW_STR("kubelet.kubernetes.io")) ||
           is_below(domain, LW_STR("node.kubernetes.io"));
}

static bool is_forbidden(lw_str key)
{
    lw_str domain, rest;
    if (!lw_str_cut(key, '/', &domain, &rest))
        return false;
    if (is_below(domain, LW_STR("node-restriction.kubernetes.io")))
        return true;
    return (is_below(domain, LW_STR("kubernetes.io")) || is_below(domain, LW_STR("k8s.io"))) &&
           !is_of_kubelet(key, domain);
}

/* The smallest forbidden key of |labels| after |last| that is different in |others|; empty: none.
 */
static lw_str next_forbidden(const lw_node *labels, const lw_node *others, lw_str last)
{
    lw_str next = LW_STR("");
    for (size_t i = 0; i < lw_node_count(labels); i++) {
        lw_str key = lw_node_key_at(labels, i);
        if (lw_str_compare(key, last) > 0 && (next.len == 0 || lw_str_compare(key, next) < 0) &&
            is_forbidden(key) && !lw_node_equal(lw_node_at(labels, i), lw_node_get(others, key)))
            next = key;
    }
    return next;
}

bool lw_node_labels_append_forbidden(const lw_node *a, const lw_node *b, lw_buf *out)
{
    lw_str last = LW_STR("");
    for (;;) {
        lw_str in_a = next_forbidden(a, b, last), in_b = next_forbidden(b, a, last);
        lw_str next =
            in_a.len == 0 || (in_b.len > 0 && lw_str_compare(in_b, in_a) < 0) ? in_b : in_a;
        if (next.len == 0)
            return last.len > 0;
        if (last.len > 0)
            lw_buf_append_text(out, ", ");
        lw_buf_append_str(out, next);
        last = next;
    }
}
