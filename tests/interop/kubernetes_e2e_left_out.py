# SPDX-License-Identifier: Apache-2.0
"""kubernetes_e2e_left_out.py -- the specs of Kubernetes' API machinery suite that are not run, and
why; docs/clients.md says the same by groups.  Patterns are searched in the names of specs; one that
finds none is a fault, so that the list stays true."""

LEFT_OUT = [
    ("needs containers that run", [
        r"Aggregator Should be able to support",
        r"Aggregated APIServer",
        r"1\.17 sample-apiserver",
        r"CustomResourceConversionWebhook",
        r"AdmissionWebhook",
    ]),
    ("needs the machines of a cloud", [
        r"kube-apiserver identity",
        r"Etcd failure",
    ]),
    ("off by default in Kubernetes", [
        r"CoordinatedLeaderElection",
        r"StorageVersion resources",
    ]),
    ("the kind is not served", [
        r"MutatingAdmissionPolicy",
        r"ValidatingAdmissionPolicy",
        r"StorageVersionMigration",
    ]),
    ("no flow is told from another, and none has to wait", [
        r"API priority and fairness should ensure",
    ]),
    ("looks for autoscaling/v1, certificates.k8s.io and apiregistration.k8s.io in discovery", [
        r"should support raw aggregated discovery endpoint Accept headers",
        r"should support aggregated discovery interface \[",
        r"should locate the groupVersion and a resource within each APIGroup",
    ]),
    ("quotas are kept, but nothing counts against them", [
        r"^\[sig-api-machinery\] ResourceQuota (?!should manage the lifecycle)",
    ]),
    ("rules in CEL are refused", [
        r"CustomResourceValidationRules",
        r"MUST NOT ratchet errors raised by transition rules",
        r"CRD Validation Rule",
    ]),
    ("values that were stored are judged anew whenever their object is written", [
        r"MUST NOT fail to update a resource due to JSONSchema errors on unchanged",
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
    ("there is no controller of CronJobs", [
        r"should delete jobs and pods created by cronjob",
    ]),
]
