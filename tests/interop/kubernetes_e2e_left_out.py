# SPDX-License-Identifier: Apache-2.0
"""kubernetes_e2e_left_out.py -- the specs of Kubernetes' API machinery and auth suites that are not run, and
why; docs/guide/clients.md says the same by groups.  Patterns are searched in the names of specs; one that
finds none is a fault, so that the list stays true."""

# Run where pods can run programs (pods/network.py).
WITH_PODS = [
    r"Aggregator Should be able to support",
    r"Aggregated APIServer",
    r"1\.17 sample-apiserver",
    r"CustomResourceConversionWebhook",
    r"AdmissionWebhook",
    r"CustomResourceFieldSelectors MUST list and watch",
    r"ServiceAccounts should mount projected service account token",
    r"ServiceAccountIssuerDiscovery should support OIDC discovery",
    r"should be able to mount a single ClusterTrustBundle by name",
    r"should be able to mount a big number \(>100\) of CTBs",
    r"should be able to specify multiple CTB volumes",
    r"should be capable to mount multiple trust bundles by signer\+labels",
]

LEFT_OUT = [
    ("needs the machines of a cloud", [
        r"kube-apiserver identity",
        r"Etcd failure",
    ]),
    ("waits until a kubelet has renewed the token of a container", [
        r"ServiceAccounts should support InClusterConfig with token rotation",
    ]),
    ("runs a command in a container by the kubelet: pods/ has the programs of images, not their files", [
        r"NodeAuthenticator",
        r"ValidatingAdmissionPolicy can restrict access by-node",
        r"ServiceAccounts should mount an API token into pods",
    ]),
    ("asks for users and owners of files that a namespace without root does not have", [
        r"ServiceAccounts should set ownership",
        r"should be able to mount CTBs with user fields",
    ]),
    ("a hollow node starts each pod, also one whose volumes cannot be filled", [
        r"should prevent a pod from starting if: sets optional=false",
    ]),
    ("a kubelet makes the key of the certificate, and asks for it", [
        r"Projected PodCertificate",
    ]),
    ("off by default in Kubernetes", [
        r"CoordinatedLeaderElection",
        r"StorageVersion resources",
        r"testing SSR in different API groups authentication/v1(alpha|beta)1",
    ]),
    ("Kubernetes itself skips it, because it is flaky there", [
        r"API priority and fairness should ensure that requests can't be drowned out",
    ]),
    ("Kubernetes itself marks it as flaky", [
        r"\[Flaky\]",
    ]),
    ("the checks have the names of what kube-apiserver is made of", [
        r"health handlers should contain necessary checks",
    ]),
    ("waits until a controller has bound a claim to a volume", [
        r"ResourceQuota's volume attributes class scope .* against a pvc with different",
    ]),
]
