# SPDX-License-Identifier: Apache-2.0
"""modules.py -- Go modules of projects that publish CustomResourceDefinitions, and those that are in
them."""

import json
import re
import subprocess
import tempfile
from pathlib import Path

from program import Skip

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

# What is looked at in each module: the folders whose paths match.
MODULES = [
    ("Gateway API", "sigs.k8s.io/gateway-api@v1.6.0", r"^config/crd/(standard|experimental)$"),
    ("Karpenter", "sigs.k8s.io/karpenter@v1.14.0", r"^pkg/apis/crds$"),
    ("Kueue", "sigs.k8s.io/kueue@v0.19.2", r"^config/components/crd/bases$"),
    ("JobSet", "sigs.k8s.io/jobset@v0.12.0", r"^config/components/crd/bases$"),
    ("Crossplane", "github.com/crossplane/crossplane/v2@v2.3.4", r"^cluster/crds$"),
    ("Cluster API", "sigs.k8s.io/cluster-api@v1.14.2", r"config/crd/bases$"),
    ("cert-manager", "github.com/cert-manager/cert-manager@v1.21.2", r"^deploy/crds$"),
    ("cert-manager 1.16", "github.com/cert-manager/cert-manager@v1.16.2", r"^deploy/crds$"),
    ("Istio", "istio.io/api@v1.31.1", r"^kubernetes$"),
    ("KEDA", "github.com/kedacore/keda/v2@v2.21.0", r"^config/crd/bases$"),
    ("Cilium", "github.com/cilium/cilium@v1.20.2", r"^pkg/k8s/apis/cilium.io/client/crds/v2(alpha1)?$"),
    ("Kyverno", "github.com/kyverno/kyverno@v1.19.1", r"^config/crds/"),
    ("Knative Serving", "knative.dev/serving@v0.51.0", r"^config/core/300-resources$"),
    ("Prometheus operator", "github.com/prometheus-operator/prometheus-operator@v0.85.0",
     r"^example/prometheus-operator-crd(-full)?$"),
    ("External Secrets", "github.com/external-secrets/external-secrets@v1.3.2", r"^config/crds/bases$"),
    ("Contour", "github.com/projectcontour/contour@v1.33.8", r"^examples/(contour|render)$"),
    ("Velero", "github.com/vmware-tanzu/velero@v1.18.3", r"^config/crd/v[^/]*/bases$"),
    ("Gatekeeper", "github.com/open-policy-agent/gatekeeper/v3@v3.23.1",
     r"^(config/crd/bases|charts/gatekeeper/crds)$"),
    ("Argo Rollouts", "github.com/argoproj/argo-rollouts@v1.10.1", r"^manifests/crds$"),
    ("Argo CD", "github.com/argoproj/argo-cd/v2@v2.14.21", r"^manifests/crds$"),
    ("Elastic", "github.com/elastic/cloud-on-k8s/v3@v3.5.0", r"^config/crds/v1/resources$"),
    ("Envoy Gateway", "github.com/envoyproxy/gateway@v1.9.1",
     r"^charts/gateway-helm/charts/crds/crds/generated$"),
    ("Karpenter AWS", "github.com/aws/karpenter-provider-aws@v1.14.1", r"^pkg/apis/crds$"),
    ("Kubeflow", "github.com/kubeflow/training-operator@v1.8.1", r"^manifests/base/crds$"),
    ("Kubeflow Trainer", "github.com/kubeflow/trainer/v2@v2.0.0", r"^manifests/base/crds$"),
    ("Sigstore", "github.com/sigstore/policy-controller@v0.13.1", r"^config$"),
    ("Traefik", "github.com/traefik/traefik/v3@v3.7.13",
     r"^docs/content/reference/dynamic-configuration$"),
    ("Chaos Mesh", "github.com/chaos-mesh/chaos-mesh@v0.9.1-0.20260902003049-47411975a8cb",
     r"^config/crd/bases$"),
    ("MongoDB", "github.com/mongodb/mongodb-kubernetes-operator@v0.9.0", r"^config/crd/bases$"),
    ("Calico", "github.com/projectcalico/calico@v1.11.0-cni-plugin.0.20250813170300-a0db560f0520",
     r"^libcalico-go/config/crd$"),
    ("Gateway API 1.2", "sigs.k8s.io/gateway-api@v1.2.1", r"^config/crd/(standard|experimental)$"),
    ("Cluster API 1.9", "sigs.k8s.io/cluster-api@v1.9.4", r"config/crd/bases$"),
    ("Cluster API AWS", "sigs.k8s.io/cluster-api-provider-aws/v2@v2.13.0", r"^config/crd/bases$"),
]


def download(module):
    """The folder of |module|."""
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(["go", "mod", "download", "-json", module], cwd=scratch,
                              capture_output=True, text=True)
    try:
        answer = json.loads(done.stdout)
    except json.JSONDecodeError:
        answer = {"Error": done.stderr}
    if "Dir" not in answer:
        reason = " ".join(answer.get("Error", "no answer").split())
        raise Skip(f"{module} cannot be downloaded: {reason}")
    return Path(answer["Dir"])


def documents(folder, pattern):
    """The definitions in the files of |folder| whose paths match, as YAML."""
    for path in sorted(folder.rglob("*.yaml")):
        if not re.search(pattern, path.parent.relative_to(folder).as_posix()):
            continue
        for text in re.split(r"^---.*$", path.read_text(), flags=re.MULTILINE):
            if re.search(r"^kind: CustomResourceDefinition\s*$", text, re.MULTILINE):
                yield path.relative_to(folder).as_posix(), text
