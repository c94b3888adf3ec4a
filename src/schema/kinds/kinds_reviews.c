/* SPDX-License-Identifier: Apache-2.0 */
/* kinds_reviews.c -- authentication and authorization: kinds that are asked by being created, and
 * have no place in the store. */
#include "schema/kinds/kinds.h"

const lw_kind lw_kind_selfsubjectreviews = {
    .group = LW_STR_INIT("authentication.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("SelfSubjectReview"),
    .plural = LW_STR_INIT("selfsubjectreviews"),
    .singular = LW_STR_INIT("selfsubjectreview"),
    .verbs = LW_VERB_CREATE,
};

const lw_kind lw_kind_tokenreviews = {
    .group = LW_STR_INIT("authentication.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("TokenReview"),
    .plural = LW_STR_INIT("tokenreviews"),
    .singular = LW_STR_INIT("tokenreview"),
    .verbs = LW_VERB_CREATE,
};

const lw_kind lw_kind_localsubjectaccessreviews = {
    .group = LW_STR_INIT("authorization.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("LocalSubjectAccessReview"),
    .plural = LW_STR_INIT("localsubjectaccessreviews"),
    .singular = LW_STR_INIT("localsubjectaccessreview"),
    .is_namespaced = true,
    .verbs = LW_VERB_CREATE,
};

const lw_kind lw_kind_selfsubjectaccessreviews = {
    .group = LW_STR_INIT("authorization.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("SelfSubjectAccessReview"),
    .plural = LW_STR_INIT("selfsubjectaccessreviews"),
    .singular = LW_STR_INIT("selfsubjectaccessreview"),
    .verbs = LW_VERB_CREATE,
};

const lw_kind lw_kind_selfsubjectrulesreviews = {
    .group = LW_STR_INIT("authorization.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("SelfSubjectRulesReview"),
    .plural = LW_STR_INIT("selfsubjectrulesreviews"),
    .singular = LW_STR_INIT("selfsubjectrulesreview"),
    .verbs = LW_VERB_CREATE,
};

const lw_kind lw_kind_subjectaccessreviews = {
    .group = LW_STR_INIT("authorization.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("SubjectAccessReview"),
    .plural = LW_STR_INIT("subjectaccessreviews"),
    .singular = LW_STR_INIT("subjectaccessreview"),
    .verbs = LW_VERB_CREATE,
};
