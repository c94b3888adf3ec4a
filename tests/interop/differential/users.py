# SPDX-License-Identifier: Apache-2.0
"""users.py -- whose requests the drawn sequences are: most are the administrator's, the others those
of users with different roles.  They may write roles and bindings that give more than they have."""

import random

from access.world import RBAC, add, aggregate_defaults, binding, rule
from differential.kinds import grouped
from differential.step import by, delete, get, merge, post, watch
from program import wait_until

USERS = [("reader", ""), ("writer", "makers"), ("keeper", ""), ("namer", ""), ("chief", ""), ("stranger", "")]
OTHERS = [name for name, _ in USERS]
ROLES = {
    "keeper": [rule("get,list,watch,update,patch", "*", "*")],
    "namer": [rule("*", "*", "*", "ada"), rule("create", "configmaps,secrets")],
}
GRANTS = 0.1  # how many steps are followed by one about roles
OWN = 0.6     # how many are the administrator's


def create(server):
    """Roles and bindings; returns when the authorizer knows them."""
    aggregate_defaults(server)
    for name, rules in ROLES.items():
        add(server, RBAC + "/clusterroles", {"metadata": {"name": name}, "rules": rules})
    for name, role in (("reader", "view"), ("keeper", "keeper"), ("namer", "namer"), ("chief", "admin")):
        add(server, RBAC + "/clusterrolebindings", binding(name, "ClusterRole", role, name))
    add(server, RBAC + "/clusterrolebindings", binding("makers", "ClusterRole", "edit", "makers", "Group"))
    for user in OTHERS[:-1]:
        wait_until(lambda: server.request("GET", "/api/v1/namespaces/default/configmaps/ada",
                                          token=server.tokens[user])[0] == 404, 30,
                   f"{server.name}: {user} may read")


def draw_grant(dice):
    """To a user that sends nothing, so that it changes nothing for the others."""
    roles, bindings = (grouped("rbac.authorization.k8s.io/v1", plural) for plural in ("roles", "rolebindings"))
    rules = [dice.choice([rule("get", "configmaps"), rule("*", "*", "*"), rule("get", "secrets", names="ada"),
                          rule("bind", "clusterroles", "rbac.authorization.k8s.io"),
                          rule("list,watch", "pods,services", "", None)])]
    role = dice.choice(["view", "edit", "admin", "cluster-admin", "keeper", "namer", "missing"])
    return dice.choice([
        post(roles, {"metadata": {"name": "granted"}, "rules": rules}),
        merge(roles + "/granted", {"rules": rules}), delete(roles + "/granted"),
        post(bindings, binding("granted", "ClusterRole", role, "nobody-else")),
        post(bindings, binding("granted-too", "Role", "granted", "nobody-else")),
        merge(bindings + "/granted", {"subjects": []}), delete(bindings + "/granted"),
        get(roles), watch(bindings)])


def shared_out(steps, seed):
    """The |steps| by drawn users, with steps about roles in between."""
    dice = random.Random(f"users of {seed}")
    for step in steps:
        is_own = dice.random() < OWN or "settled" in str(step)
        yield step if is_own else by(dice.choice(OTHERS), step)
        if dice.random() < GRANTS:
            yield by(dice.choice(["chief", "chief", "writer", "keeper", "namer"]), draw_grant(dice))
