# SPDX-License-Identifier: Apache-2.0
"""suites_list.py -- the test suites of others that suites.py runs: a Go module, its version and the
packages whose tests start an API server.  Nothing of them is in this repository."""

from collections import namedtuple

# Versions of Kubernetes' libraries with which the suites are built.  Few versions keep the builds
# short: a suite takes a newer patch release than the one it asks for.
K37 = {"kubernetes": "v0.37.1", "sigs.k8s.io/controller-runtime": "v0.25.2"}
K36 = {"kubernetes": "v0.36.4", "sigs.k8s.io/controller-runtime": "v0.24.1"}

# |packages|: folders, or "./..." for all that have tests.  |libraries|: as above.  |tags|: of the build.
# |folders|: variables with a folder of a module that the suite requires, as "module:folder".
Suite = namedtuple("Suite", "name module version packages libraries tags folders",
                   defaults=("", ()))

CERT_MANAGER_CRDS = (("CERT_MANAGER_CRDS", "github.com/cert-manager/cert-manager:deploy/crds"),)

SUITES = [
    Suite("controller-runtime", "sigs.k8s.io/controller-runtime", "v0.25.2", ["./pkg/..."], K37),
    Suite("trust-manager", "github.com/cert-manager/trust-manager", "v0.25.0",
          ["test/integration/bundle", "test/integration/clusterbundle"], K37),
    Suite("approver-policy", "github.com/cert-manager/approver-policy", "v0.28.0",
          ["pkg/internal/approver/manager", "pkg/internal/approver/manager/predicate",
           "pkg/internal/controllers/test"], K37, folders=CERT_MANAGER_CRDS),
    Suite("flux-ssa", "github.com/fluxcd/pkg/ssa", "v0.78.0", [".", "jsondiff"], K37),
    Suite("flux-runtime", "github.com/fluxcd/pkg/runtime", "v0.110.3",
          ["acl", "cel", "client", "controller", "events", "patch", "secrets"], K37),
    Suite("opa-constraint", "github.com/open-policy-agent/frameworks/constraint",
          "v0.0.0-20260616163050-e1eaa1bf6d62",
          ["pkg/apis/externaldata/v1alpha1", "pkg/apis/externaldata/v1beta1",
           "pkg/apis/templates/v1", "pkg/apis/templates/v1alpha1", "pkg/apis/templates/v1beta1"],
          K37),
    Suite("opa-cert-controller", "github.com/open-policy-agent/cert-controller", "v0.16.0",
          ["pkg/rotator"], K37),
    Suite("gatekeeper", "github.com/open-policy-agent/gatekeeper/v3", "v3.23.1",
          ["pkg/controller/config", "pkg/controller/connectionstatus", "pkg/controller/export",
           "pkg/controller/mutators/core", "pkg/readiness", "pkg/watch"], K37),
    Suite("kro", "github.com/kubernetes-sigs/kro", "v0.9.4", ["test/integration/suites/core"], K37),
    Suite("cluster-api", "sigs.k8s.io/cluster-api", "v1.14.2",
          ["controllers/clustercache", "controllers/crdmigrator",
           "core/reconcilers/clusterclass", "core/reconcilers/clusterresourceset",
           "core/reconcilers/extensionconfig", "core/reconcilers/machine",
           "core/reconcilers/machinedeployment", "core/reconcilers/machineset",
           "internal/util/ssa/test", "util/patch/test"], K37),
    Suite("cluster-api-operator", "sigs.k8s.io/cluster-api-operator", "v0.29.0",
          ["internal/controller", "internal/controller/healthcheck"], K37),
    Suite("cluster-api-gcp", "sigs.k8s.io/cluster-api-provider-gcp", "v1.13.1",
          ["api/v1beta1", "controllers", "exp/controllers", "exp/webhooks"], K36),
    Suite("nvidia-operator-libs", "github.com/NVIDIA/k8s-operator-libs",
          "v0.0.0-20250311214045-7d667fbaa7ac", ["pkg/crdutil", "pkg/upgrade"], K37),
    Suite("kubeflow-trainer", "github.com/kubeflow/trainer/v2", "v2.0.0",
          ["test/integration/controller", "test/integration/webhooks"], K36),
    Suite("envoy-gateway", "github.com/envoyproxy/gateway", "v1.9.1",
          ["internal/provider/kubernetes"], K36),
    Suite("karpenter", "sigs.k8s.io/karpenter", "v1.14.1",
          ["pkg/controllers/nodeclaim/garbagecollection", "pkg/apis/v1"], K37),
]

# Tests that pass with kube-apiserver and fail with listwatch: suite, pattern of the test's name,
# reason.  docs/reference/suites.md lists the same.
DIFFERENCES = [
    ("controller-runtime", "should allow for get informer to be cancelled",
     "the answer may be there before the informer looks at its cancelled context"),
    ("controller-runtime", "aggregatedDiscovery=false$",
     "downloads an old kube-apiserver from the Internet"),
    ("flux-ssa", "MigrateAPIVersion",
     "expects an apply to fail because managedFields have an entry of an older version, whose schema "
     "lacks a field with a default; listwatch applies it"),
]
