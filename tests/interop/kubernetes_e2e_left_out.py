# SPDX-License-Identifier: Apache-2.0
"""kubernetes_e2e_left_out.py -- the specs of Kubernetes' API machinery and auth suites that are not run, and
why; docs/guide/clients.md says the same by groups.  Patterns are searched in the names of specs; one that
finds none is a fault, so that the list stays true."""

LEFT_OUT = [
    ("needs containers that run", [
        r"Aggregator Should be able to support",
        r"Aggregated APIServer",
        r"1\.17 sample-apiserver",
        r"CustomResourceConversionWebhook",
        r"AdmissionWebhook",
        r"NodeAuthenticator",
        r"ServiceAccounts should mount an API token into pods",
        r"ServiceAccounts should mount projected service account token",
        r"ServiceAccounts should set ownership",
        r"ServiceAccounts should support InClusterConfig with token rotation",
        r"ServiceAccountIssuerDiscovery should support OIDC discovery",
    ]),
    ("needs the machines of a cloud", [
        r"kube-apiserver identity",
        r"Etcd failure",
    ]),
    ("off by default in Kubernetes", [
        r"CoordinatedLeaderElection",
        r"StorageVersion resources",
        r"testing SSR in different API groups authentication/v1(alpha|beta)1",
    ]),
    ("the kind is not served", [
        r"ResourceQuota and capture the life of a ResourceClaim",
        r"MutatingAdmissionPolicy",
        r"ValidatingAdmissionPolicy",
        r"StorageVersionMigration",
        r"PodCertificate",
        r"\[FeatureGate:ClusterTrustBundle\]",
    ]),
    ("Kubernetes itself skips it, because it is flaky there", [
        r"API priority and fairness should ensure that requests can't be drowned out",
    ]),
    ("looks for certificates.k8s.io and apiregistration.k8s.io in discovery", [
        r"should support raw aggregated discovery endpoint Accept headers",
        r"should support aggregated discovery interface \[",
        r"should locate the groupVersion and a resource within each APIGroup",
    ]),
    ("waits until somebody has bound a claim to a volume", [
        r"ResourceQuota's volume attributes class scope",
    ]),
    ("defaults of a schema are filled in when an object is written, not when it is read", [
        r"custom resource defaulting for requests and from storage works",
    ]),
    ("Kubernetes itself marks it as flaky", [
        r"\[Flaky\]",
    ]),
    ("the checks have the names of what kube-apiserver is made of", [
        r"health handlers should contain necessary checks",
    ]),
]
