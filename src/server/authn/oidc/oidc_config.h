/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_config.h -- which issuers of JSON Web Tokens are trusted, and how their claims become users:
 * an AuthenticationConfiguration (apiserver.config.k8s.io/v1, v1beta1, v1alpha1).
 *
 *     text ──lw_oidc_config_read──▶ fields as written ──lw_oidc_config_validate──▶ with programs
 *
 * Immutable after validation, except for |source|, which its user sets once; shared by
 * references. */
#ifndef LW_SERVER_AUTHN_OIDC_OIDC_CONFIG_H
#define LW_SERVER_AUTHN_OIDC_OIDC_CONFIG_H

#include "base/arena.h"
#include "base/ref.h"
#include "cel/cel.h"

enum {
    LW_OIDC_ISSUERS_MAX = 64,
    LW_OIDC_CONFIG_MAX = 4 * 1024 * 1024, /* bytes of the file */
};

/* A list of strings, or of one of the types below. */
typedef struct lw_oidc_list {
    void *items;
    size_t count;
} lw_oidc_list;

/* A claim, or an expression over |claims|.  A claim has a prefix, which may be empty. */
typedef struct lw_oidc_mapping {
    lw_str claim, expression;
    lw_str prefix;
    bool has_prefix;
    lw_cel_program *program; /* NULL: no expression */
} lw_oidc_mapping;

/* An entry of |extra| of a user. */
typedef struct lw_oidc_extra {
    lw_str key, expression;
    lw_cel_program *program;
} lw_oidc_extra;

/* What a claim must be, or an expression over |claims| or |user| that must be true. */
typedef struct lw_oidc_rule {
    lw_str claim, required_value;
    lw_str expression, message;
    lw_cel_program *program; /* NULL: no expression */
} lw_oidc_rule;

struct lw_oidc_source;

typedef struct lw_oidc_issuer {
    lw_str url, discovery_url;
    lw_str certificate_authority; /* PEM; empty: the CAs of the system */
    lw_oidc_list audiences;       /* of lw_str */
    lw_str audience_match_policy, egress_selector_type;
    lw_oidc_list claim_rules; /* of lw_oidc_rule */
    lw_oidc_mapping username, groups, uid;
    lw_oidc_list extra;            /* of lw_oidc_extra */
    lw_oidc_list user_rules;       /* of lw_oidc_rule */
    struct lw_oidc_source *source; /* of its keys; one reference, NULL: not set */
} lw_oidc_issuer;

/* Requests without credentials.  Without paths, all of them are allowed. */
typedef struct lw_oidc_anonymous {
    bool is_set; /* the configuration says something about it */
    bool is_enabled;
    lw_oidc_list paths; /* of lw_str */
} lw_oidc_anonymous;

typedef struct lw_oidc_config {
    lw_ref refs;
    lw_arena arena; /* of all strings and lists */
    lw_oidc_list issuers;
    lw_oidc_anonymous anonymous;
    unsigned algorithms; /* a set of bits; see lw_oidc_algorithm */
} lw_oidc_config;

/* Makes a configuration without issuers that accepts all algorithms.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_oidc_config_new(lw_oidc_config **out, lw_error *err);
lw_oidc_config *lw_oidc_config_ref(lw_oidc_config *config);
void lw_oidc_config_unref(lw_oidc_config *config); /* NULL does nothing */

/* Returns the number |i| of an issuer, and of the elements of its lists. */
lw_oidc_issuer *lw_oidc_issuer_at(const lw_oidc_config *config, size_t i);
lw_oidc_rule *lw_oidc_rule_at(const lw_oidc_list *rules, size_t i);
lw_oidc_extra *lw_oidc_extra_at(const lw_oidc_list *extras, size_t i);
lw_str lw_oidc_text_at(const lw_oidc_list *texts, size_t i);

/* Returns the bit of a signing algorithm ("RS256"); 0: it is not one that can be used.
 * LW_OIDC_ALGORITHMS: all of them. */
unsigned lw_oidc_algorithm(lw_str name);
#define LW_OIDC_ALGORITHMS 0x1ffu

/* Reads |text|, YAML or JSON, strictly: unknown and repeated fields are errors.  LW_ERR_INVALID,
 * LW_ERR_SYNTAX, LW_ERR_LIMIT: the message says what and where; LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_oidc_config_read(lw_oidc_config **out, lw_str text, lw_error *err);

/* Checks the fields and compiles the expressions.  |own| are the issuers of this server's tokens,
 * which must not be among them.  LW_ERR_INVALID: |why| has all errors as kube-apiserver words
 * them; LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_oidc_config_validate(lw_oidc_config *config, const lw_str *own,
                                                size_t own_count, lw_buf *why);

/* Returns true if both say the same about requests without credentials. */
bool lw_oidc_anonymous_equal(const lw_oidc_anonymous *a, const lw_oidc_anonymous *b);

#endif
