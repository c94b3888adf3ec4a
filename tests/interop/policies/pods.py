# SPDX-License-Identifier: Apache-2.0
"""pods.py -- pods, and the levels of Pod Security that they are created under."""

from policies.cases import pod

GOOD = {"securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}}
DROPS = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


def secure(spec=None, container=None, **more):
    """A pod that meets the level restricted, but for what is given."""
    security = {**DROPS, **more}
    return pod(spec={**GOOD, **(spec or {})}, container={"securityContext": security,
                                                         **(container or {})})[1]


def pod_security(**security):
    return secure({"securityContext": {**GOOD["securityContext"], **security}})


def two(**security):
    """Two containers and an init container with the same fault."""
    made = secure(**security)
    first = made["spec"]["containers"][0]
    made["spec"]["containers"] = [first, {**first, "name": "d"}]
    made["spec"]["initContainers"] = [{**first, "name": "init"}]
    return made


PODS = {
    "plain": pod()[1],
    "good": secure(),
    "host-namespaces": secure({"hostNetwork": True, "hostPID": True, "hostIPC": True}),
    "host-path": secure({"volumes": [{"name": "v", "hostPath": {"path": "/x"}},
                                     {"name": "w", "hostPath": {"path": "/y"}}]}),
    "volumes": secure({"volumes": [{"name": "n", "nfs": {"server": "a", "path": "/"}},
                                   {"name": "e", "emptyDir": {}},
                                   {"name": "i", "iscsi": {"targetPortal": "1.2.3.4:1", "iqn":
                                                           "iqn.2001-04.com.example:a", "lun": 0}}]}),
    "host-ports": secure(container={"ports": [{"containerPort": 80, "hostPort": 80},
                                              {"containerPort": 81, "hostPort": 8081}]}),
    "probes": secure(container={"livenessProbe": {"httpGet": {"port": 80, "host": "1.2.3.4"}},
                                "lifecycle": {"preStop": {"tcpSocket": {"port": 1, "host": "h"}}}}),
    "privileged": pod(container={"securityContext": {"privileged": True}})[1],
    "capabilities": secure(capabilities={"add": ["NET_ADMIN", "SYS_TIME", "CHOWN"]}),
    "capabilities-good": secure(capabilities={"add": ["NET_BIND_SERVICE"], "drop": ["ALL"]}),
    "escalation": secure(allowPrivilegeEscalation=True),
    "proc-mount": secure({"hostUsers": False}, procMount="Unmasked"),
    "proc-mount-default": secure(procMount="Default"),
    "root-pod": pod_security(runAsNonRoot=False),
    "root-container": secure(runAsNonRoot=False),
    "root-user": pod_security(runAsUser=0),
    "root-user-container": two(runAsUser=0),
    "user-namespace": pod(spec={"hostUsers": False})[1],
    "seccomp-pod": pod_security(seccompProfile={"type": "Unconfined"}),
    "seccomp-container": two(seccompProfile={"type": "Unconfined"}),
    "selinux": pod_security(seLinuxOptions={"type": "wrong", "user": "u", "role": "r"}),
    "selinux-container": two(seLinuxOptions={"type": "container_engine_t"}),
    "app-armor": pod_security(appArmorProfile={"type": "Unconfined"}),
    "app-armor-container": two(appArmorProfile={"type": "Unconfined"}),
    "sysctls": pod_security(sysctls=[{"name": "kernel.msgmax", "value": "1"},
                                     {"name": "net.ipv4.tcp_rmem", "value": "1"},
                                     {"name": "net.ipv4.tcp_notsent_lowat", "value": "1"}]),
    "windows": pod(spec={"os": {"name": "windows"}})[1],
    "host-process": pod(spec={"hostNetwork": True, "os": {"name": "windows"}, "securityContext": {
        "windowsOptions": {"hostProcess": True}}})[1],
    "ephemeral": two(privileged=True, allowPrivilegeEscalation=True),
}

# labels of namespaces
LEVELS = {
    "baseline": {"enforce": "baseline"},
    "restricted": {"enforce": "restricted"},
    "restricted-1-18": {"enforce": "restricted", "enforce-version": "v1.18"},
    "restricted-1-24": {"enforce": "restricted", "enforce-version": "v1.24"},
    "baseline-1-30": {"enforce": "baseline", "enforce-version": "v1.30"},
    "warn": {"warn": "restricted", "audit": "baseline"},
    "mixed": {"enforce": "privileged", "warn": "baseline", "warn-version": "v1.99"},
    "none": {},
}

LABELS = [  # of a namespace that is created or changed
    {"enforce": "wrong"}, {"enforce-version": "1.2"}, {"warn": "x", "audit": "y",
                                                       "audit-version": "v1.01"},
    {"enforce": "restricted", "enforce-version": "v1.5"}, {"enforce": "baseline"},
]
