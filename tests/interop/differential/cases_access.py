# SPDX-License-Identifier: Apache-2.0
"""cases_access.py -- credentials that are wrong, and users who are somebody else."""

from differential.kinds import core
from differential.step import Step, by, get

MAPS = core("configmaps")


def health_and_impersonation():
    wrong = {"Authorization": "Bearer wrong"}
    return [
        Step("PUT", "/healthz/ping"), by(None, get("/livez"), wrong), by(None, get(MAPS), wrong),
        by(None, get(MAPS), {"Impersonate-Group": "dev"}), by("stranger", get("/livez")),
        by("stranger", get(MAPS), {"Impersonate-User": "reader"}),
        by(None, get(MAPS), {"Impersonate-User": "stranger"}),
        by(None, get("/api/v1/nodes/n1"), {"Impersonate-User": "system:node:n1"}),
    ]


ACCESS_CASES = [health_and_impersonation]
