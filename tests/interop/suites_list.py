# SPDX-License-Identifier: Apache-2.0
"""suites_list.py -- the test suites of others that suites.py runs: a Go module, its version and the
packages whose tests start an API server.  Nothing of them is in this repository."""

from collections import namedtuple

# Versions of Kubernetes' libraries with which the suites are built.  Few versions keep the builds
# short: a suite takes a newer patch release than the one it asks for.
K37 = {"kubernetes": "v0.37.1", "sigs.k8s.io/controller-runtime": "v0.25.2"}

# |packages|: folders, or "./..." for all that have tests.  |libraries|: as above.  |tags|: of the build.
# |folders|: variables with a folder of a module that the suite requires, as "module:folder".
# |focus|: pattern of the specs to run, where all of them take too long.  |is_aligned|: all libraries
# have the versions of the first suite, so that few packages have to be compiled.
Suite = namedtuple("Suite", "name module version packages libraries tags folders focus is_aligned",
                   defaults=("", (), "", False))

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
          ["acl", "cel", "client", "controller", "patch", "secrets"], K37),
    Suite("flux-kustomize", "github.com/fluxcd/pkg/kustomize", "v1.41.0", ["."], K37),
    Suite("flux-auth", "github.com/fluxcd/pkg/auth", "v0.54.3", ["."], K37),
    Suite("opa-constraint", "github.com/open-policy-agent/frameworks/constraint",
          "v0.0.0-20260616163050-e1eaa1bf6d62",
          ["pkg/apis/externaldata/v1alpha1", "pkg/apis/externaldata/v1beta1",
           "pkg/apis/templates/v1", "pkg/apis/templates/v1alpha1", "pkg/apis/templates/v1beta1"],
          K37),
    Suite("opa-cert-controller", "github.com/open-policy-agent/cert-controller", "v0.16.0",
          ["pkg/rotator"], K37),
    Suite("gatekeeper", "github.com/open-policy-agent/gatekeeper/v3", "v3.23.1",
          ["pkg/controller/connectionstatus", "pkg/watch"], K37),
    Suite("kro", "github.com/kubernetes-sigs/kro", "v0.9.4", ["test/integration/suites/core"], K37,
          focus="^Core Suite (ApplySet|Collection Watch|CRD|Omit|Unknown Fields|Validation) "),
    Suite("cluster-api", "sigs.k8s.io/cluster-api", "v1.14.2",
          ["controllers/clustercache", "internal/util/ssa/test", "util/patch/test"], K37,
          is_aligned=True),
    Suite("keda", "github.com/kedacore/keda/v2", "v2.21.0",
          ["apis/eventing/v1alpha1", "apis/keda/v1alpha1"], K37),
    Suite("cloud-on-k8s", "github.com/elastic/cloud-on-k8s/v3", "v3.5.0",
          ["pkg/controller/license", "pkg/controller/license/trial"], K37, tags="integration"),
    Suite("nvidia-operator-libs", "github.com/NVIDIA/k8s-operator-libs",
          "v0.0.0-20250311214045-7d667fbaa7ac", ["pkg/crdutil", "pkg/upgrade"], K37),
    Suite("karpenter", "sigs.k8s.io/karpenter", "v1.14.1",
          ["pkg/apis/v1"], K37),
]

# Tests that pass with kube-apiserver and fail with listwatch: suite, pattern of the test's name,
# reason.  docs/reference/suites.md lists the same.
DIFFERENCES = [
    ("controller-runtime", "should allow for get informer to be cancelled",
     "the answer may be there before the informer looks at its cancelled context"),
    ("controller-runtime", "aggregatedDiscovery=false$",
     "downloads an old kube-apiserver from the Internet"),
    ("cloud-on-k8s", "TestDelayingQueueInvariants",
     "uses no server, and waits only 20 ms for a queue"),
]
