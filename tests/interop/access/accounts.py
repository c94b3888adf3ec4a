# SPDX-License-Identifier: Apache-2.0
"""accounts.py -- what the admission plugin ServiceAccount makes of pods, on both servers."""

import json
import re

from access.world import BLUE

PODS = f"/api/v1/namespaces/{BLUE}/pods?dryRun=All"
VOLUME = re.compile(r"kube-api-access-[a-z0-9]{5}")
PATH = "/var/run/secrets/kubernetes.io/serviceaccount"
CONTAINER = {"name": "c", "image": "i"}


def pod(metadata=None, **spec):
    return {"metadata": {"name": "new", **(metadata or {})}, "spec": {"containers": [CONTAINER], **spec}}


def mirror(**spec):
    return pod({"annotations": {"kubernetes.io/config.mirror": "x"}}, nodeName="n1", **spec)


BODIES = [
    pod(), pod(serviceAccountName="robot"), pod(serviceAccountName="nobody"), pod(serviceAccount="robot"),
    pod(automountServiceAccountToken=False), pod(automountServiceAccountToken=True),
    pod(initContainers=[{"name": "i", "image": "i"}]), pod(imagePullSecrets=[{"name": "s"}]),
    pod(containers=[{**CONTAINER, "volumeMounts": [{"name": "v", "mountPath": PATH}]}],
        volumes=[{"name": "v", "emptyDir": {}}]),
    pod(volumes=[{"name": "kube-api-access-mine", "emptyDir": {}}]),
    mirror(), mirror(serviceAccountName="robot"),
    mirror(volumes=[{"name": "v", "secret": {"secretName": "s"}}]),
    mirror(volumes=[{"name": "v", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}}]),
    mirror(containers=[{**CONTAINER, "envFrom": [{"secretRef": {"name": "s"}}]}]),
]


def pods_get_the_same_account_and_volume(pair):
    for body in BODIES:
        answers = []
        for server in pair.servers():
            status, text = server.request("POST", PODS, body)
            answer = json.loads(VOLUME.sub("kube-api-access-<drawn>", text))
            answers.append((status, answer.get("spec", answer)))
        assert answers[0] == answers[1], f"{body}\n- {answers[0]}\n+ {answers[1]}"


ACCOUNT_CHECKS = [pods_get_the_same_account_and_volume]
