# SPDX-License-Identifier: Apache-2.0
"""volumes.py -- what a pod's volumes and environment hold, as a kubelet would fill them in."""

import base64
import json
import os
import re
from pathlib import Path
from urllib.parse import quote

ACCOUNT_TOKEN_S = 3600


class Missing(Exception):
    """What the pod refers to is not there, or of a kind that is not known here."""


class Reader:
    """The objects of one pod's namespace."""

    def __init__(self, server, pod):
        self.server, self.pod = server, pod
        self.namespace = pod["metadata"]["namespace"]

    def get(self, resource, name, is_optional=False):
        status, text = self.server.request("GET", f"/api/v1/namespaces/{self.namespace}/{resource}/{name}")
        if status == 200:
            return json.loads(text)
        if is_optional and status == 404:
            return {}
        raise Missing(f"{resource} {name}: {status}")

    def secret(self, name, is_optional=False):
        data = self.get("secrets", name, is_optional).get("data") or {}
        return {key: base64.b64decode(value) for key, value in data.items()}

    def config(self, name, is_optional=False):
        found = self.get("configmaps", name, is_optional)
        texts = {key: value.encode() for key, value in (found.get("data") or {}).items()}
        return texts | {key: base64.b64decode(value)
                        for key, value in (found.get("binaryData") or {}).items()}

    def token(self, source):
        account = self.pod["spec"].get("serviceAccountName", "default")
        meta = self.pod["metadata"]
        made = self.server.call(
            "POST", f"/api/v1/namespaces/{self.namespace}/serviceaccounts/{account}/token",
            {"spec": {"audiences": [source["audience"]] if source.get("audience") else None,
                      "expirationSeconds": source.get("expirationSeconds", ACCOUNT_TOKEN_S),
                      "boundObjectRef": {"apiVersion": "v1", "kind": "Pod", "name": meta["name"],
                                         "uid": meta["uid"]}}})
        return made["status"]["token"].encode()

    def field(self, path):
        """The text of a fieldRef."""
        found = re.fullmatch(r"metadata\.(labels|annotations)\['([^']*)'\]", path)
        if found:
            return self.pod["metadata"].get(found[1], {}).get(found[2], "")
        value = self.pod
        for name in path.split("."):
            value = value.get(name, "") if isinstance(value, dict) else ""
        if isinstance(value, dict):
            return "\n".join(f"{key}={json.dumps(text)}" for key, text in sorted(value.items()))
        return str(value)

    def fields(self, items):
        return {item["path"]: (self.field(item["fieldRef"]["fieldPath"]).encode(), item.get("mode"))
                for item in items if "fieldRef" in item}


def chosen(data, items):
    """Of |data| what |items| names, by its path there; all without."""
    if not items:
        return {key: (value, None) for key, value in data.items()}
    return {item["path"]: (data[item["key"]], item.get("mode")) for item in items if item["key"] in data}


def selector(labels):
    """A label selector as a query has it."""
    words = [f"{key}={value}" for key, value in (labels.get("matchLabels") or {}).items()]
    for part in labels.get("matchExpressions") or []:
        key, values = part["key"], ",".join(part.get("values") or [])
        words.append({"In": f"{key} in ({values})", "NotIn": f"{key} notin ({values})", "Exists": key,
                      "DoesNotExist": "!" + key}[part["operator"]])
    return quote(",".join(words))


def bundles(reader, source):
    """Of the ClusterTrustBundles that |source| names or selects."""
    group = "/apis/certificates.k8s.io/v1/clustertrustbundles"
    if source.get("name"):
        status, text = reader.server.request("GET", f"{group}/{source['name']}")
        found = [json.loads(text)] if status == 200 else []
    else:
        wanted = source.get("labelSelector")
        status, text = reader.server.request("GET", f"{group}?labelSelector={selector(wanted or {})}")
        items = json.loads(text).get("items", []) if status == 200 else []
        found = [item for item in items if wanted is not None  # without a selector, none
                 and item["spec"].get("signerName") == source.get("signerName")]
    if not found and not source.get("optional"):
        raise Missing("no ClusterTrustBundle")
    blocks = {block for item in found for block in re.findall(
        r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\n?", item["spec"]["trustBundle"], re.S)}
    return "".join(block.rstrip("\n") + "\n" for block in sorted(blocks)).encode()


def projected(reader, source):
    files = {}
    for part in source.get("sources", []):
        if "serviceAccountToken" in part:
            files[part["serviceAccountToken"]["path"]] = (reader.token(part["serviceAccountToken"]), None)
        elif "configMap" in part:
            files |= chosen(reader.config(part["configMap"]["name"], part["configMap"].get("optional")),
                            part["configMap"].get("items"))
        elif "secret" in part:
            files |= chosen(reader.secret(part["secret"]["name"], part["secret"].get("optional")),
                            part["secret"].get("items"))
        elif "downwardAPI" in part:
            files |= reader.fields(part["downwardAPI"].get("items", []))
        elif "clusterTrustBundle" in part:
            files[part["clusterTrustBundle"]["path"]] = (bundles(reader, part["clusterTrustBundle"]), None)
        else:
            raise Missing(f"a projected volume of {list(part)}")
    return files


def files_of(reader, volume):
    """The files of |volume|: contents and mode by path; and the mode of the others."""
    if "secret" in volume:
        source = volume["secret"]
        files = chosen(reader.secret(source["secretName"], source.get("optional")), source.get("items"))
    elif "configMap" in volume:
        source = volume["configMap"]
        files = chosen(reader.config(source["name"], source.get("optional")), source.get("items"))
    elif "projected" in volume:
        source = volume["projected"]
        files = projected(reader, source)
    elif "downwardAPI" in volume:
        source = volume["downwardAPI"]
        files = reader.fields(source.get("items", []))
    elif "emptyDir" in volume:
        source, files = {}, {}
    else:
        raise Missing(f"a volume of {sorted(set(volume) - {'name'})}")
    return files, source.get("defaultMode", 0o644)


def write(folder, files, mode):
    folder.mkdir(parents=True, exist_ok=True)
    for name, (contents, own) in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(f"{file}.new")  # whoever reads it sees the old one or the new one
        fresh.write_bytes(contents)
        fresh.chmod(own if own is not None else mode)
        os.replace(fresh, file)


def fill(reader, container, root):
    """Writes below |root| what the container mounts."""
    volumes = {volume["name"]: volume for volume in reader.pod["spec"].get("volumes", [])}
    for mount in container.get("volumeMounts", []):
        files, mode = files_of(reader, volumes[mount["name"]])
        write(root / mount["mountPath"].lstrip("/"), files, mode)


def environment(reader, container, more):
    """The container's variables after |more|; those of a kubelet first."""
    found = dict(more)
    for item in container.get("env", []):
        source = item.get("valueFrom")
        if not source:
            found[item["name"]] = expanded(item.get("value", ""), found)
        elif "fieldRef" in source:
            found[item["name"]] = reader.field(source["fieldRef"]["fieldPath"])
        elif "configMapKeyRef" in source:
            found[item["name"]] = reader.config(source["configMapKeyRef"]["name"])[
                source["configMapKeyRef"]["key"]].decode()
        elif "secretKeyRef" in source:
            found[item["name"]] = reader.secret(source["secretKeyRef"]["name"])[
                source["secretKeyRef"]["key"]].decode()
    return found


def expanded(text, variables):
    return re.sub(r"\$\(([^)]+)\)", lambda found: variables.get(found[1], found[0]), text)
