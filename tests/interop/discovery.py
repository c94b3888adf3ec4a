# SPDX-License-Identifier: Apache-2.0
"""discovery.py -- what a server says it serves: groups, versions, resources, subresources and their
verbs, short names and categories, by the discovery documents."""


def facts_of(resource):
    """What counts of an entry of an APIResourceList."""
    group, version = resource.get("group", ""), resource.get("version", "")
    kind = resource["kind"] if not version else f"{group}/{version}/{resource['kind']}".lstrip("/")
    return {"kind": kind, "namespaced": resource["namespaced"],
            "singular": resource.get("singularName", ""),
            "verbs": " ".join(sorted(resource["verbs"])),
            "short": " ".join(sorted(resource.get("shortNames", []))),
            "categories": " ".join(sorted(resource.get("categories", [])))}


def served_by(server):
    """{"apps/v1 deployments/status": facts} of all that |server| serves, and the groups in order."""
    groups = server.call("GET", "/apis")["groups"]
    paths = {"v1": "/api/v1"}
    for group in groups:
        for version in group["versions"]:
            paths[version["groupVersion"]] = "/apis/" + version["groupVersion"]
    found = {}
    for name, path in paths.items():
        for resource in server.call("GET", path)["resources"]:
            found[f"{name} {resource['name']}"] = facts_of(resource)
    return found, [(group["name"], [v["version"] for v in group["versions"]]) for group in groups]


def differences(theirs, ours):
    """Lines that say what |ours| lacks, has beside, or says otherwise."""
    for name in sorted(set(theirs) | set(ours)):
        if name not in ours:
            yield f"missing: {name} ({theirs[name]['verbs']})"
        elif name not in theirs:
            yield f"not in Kubernetes: {name}"
        elif ours[name] != theirs[name]:
            for fact, value in theirs[name].items():
                if ours[name][fact] != value:
                    yield f"{name}: {fact} is {ours[name][fact]!r}, in Kubernetes {value!r}"
