/* SPDX-License-Identifier: Apache-2.0 */
/* feature_gates.c -- reads the list of feature gates.  Gates that kube-apiserver has and this
 * server does not are accepted: command lines for kube-apiserver work here. */
#include "server/setup/feature_gates.h"

#include "base/error.h"
#include "base/str.h"

/* Reads a boolean as Go's strconv.ParseBool does. */
static bool parse_bool(lw_str text, bool *out)
{
    static const char *const words[] = { "1", "t", "T", "true",  "TRUE",  "True",
                                         "0", "f", "F", "false", "FALSE", "False" };
    enum {
        WORDS = sizeof(words) / sizeof(words[0]),
    };
    for (size_t i = 0; i < WORDS; i++) {
        if (lw_str_equal(text, lw_str_of(words[i]))) {
            *out = i < WORDS / 2;
            return true;
        }
    }
    return false;
}

lw_status lw_feature_gates_read(lw_feature_gates *gates, const char *text, lw_error *err)
{
    lw_str rest = lw_str_of(text ? text : ""), one, name, value;
    bool has_alpha = false, has_cbor = false, is_cbor_set = false;
    while (rest.len > 0) {
        bool is_on;
        (void)lw_str_cut(rest, ',', &one, &rest);
        one = lw_str_trim(one);
        if (one.len == 0)
            continue;
        if (!lw_str_cut(one, '=', &name, &value))
            return lw_error_set(err, LW_ERR_INVALID, "missing bool value for feature gate %.*s",
                                LW_STR_ARG(one));
        if (!parse_bool(lw_str_trim(value), &is_on))
            return lw_error_set(err, LW_ERR_INVALID,
                                "invalid value of feature gate %.*s: \"%.*s\" is not a boolean",
                                LW_STR_ARG(name), LW_STR_ARG(value));
        name = lw_str_trim(name);
        if (lw_str_equal(name, LW_STR("AllAlpha"))) {
            has_alpha = is_on;
        } else if (lw_str_equal(name, LW_STR("CBORServingAndStorage"))) {
            has_cbor = is_on;
            is_cbor_set = true;
        }
    }
    gates->serves_cbor = is_cbor_set ? has_cbor : has_alpha;
    return LW_OK;
}
