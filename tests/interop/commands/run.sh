#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh -- runs the functions of Kubernetes' test/cmd against the server on a port of loopback.  Each
# writes a log; "passed NAME" or "failed NAME" goes to the file "results".
#
#   run.sh KUBERNETES PORT LOGS [FUNCTION...]     a writable copy of its test/cmd, hack, test/fixtures;
#                                                 which functions, all if there are none
#
# PATH has kubectl, and THIS_PLATFORM_BIN is its folder.
set -o errexit -o nounset -o pipefail

KUBE_ROOT=$1 SECURE_API_PORT=$2 LOGS=$3
shift 3
WANTED=" $* "
cd "$KUBE_ROOT"
HOME=$(mktemp -d) KUBE_TEMP=$(mktemp -d)
KUBE_JUNIT_REPORT_DIR=$KUBE_TEMP
export HOME KUBE_TEMP KUBE_ROOT KUBE_JUNIT_REPORT_DIR

# shellcheck source=/dev/null
source hack/lib/util.sh
# shellcheck source=/dev/null
source hack/lib/logging.sh
# shellcheck source=/dev/null
source hack/lib/test.sh
# shellcheck source=/dev/null
source test/cmd/legacy-script.sh >"$LOGS/between.log" 2>&1
trap 'rm -rf "$HOME" "$KUBE_TEMP"' EXIT

# Instead of the one that writes reports in the format of JUnit.
record_command() {
    case "$WANTED" in
    "  " | *" $1 "*) ;;
    *) return 0 ;;
    esac
    set +o errexit +o nounset
    (
        trap stop-proxy EXIT
        "$@"
    ) </dev/null >"$LOGS/$1.log" 2>&1
    if test $? -eq 0; then
        echo "passed $1" >>"$LOGS/results"
    else
        echo "failed $1" >>"$LOGS/results"
    fi
    set -o errexit -o nounset
}

kube::util::ensure-gnu-sed
CONTEXT=test
kubectl config set-credentials test-admin --token admin-token >/dev/null
kubectl config set-cluster local --insecure-skip-tls-verify \
    --server "https://127.0.0.1:$SECURE_API_PORT" >/dev/null
kubectl config set-context "$CONTEXT" --user test-admin --cluster local >/dev/null
kubectl config use-context "$CONTEXT" >/dev/null
export CONTEXT SECURE_API_PORT SUPPORTED_RESOURCES="*" ALLOW_SKEW=yes

# As the suite does: an annotation, so that somebody manages a field of the node.
echo '{"kind": "Node", "apiVersion": "v1", "metadata": {"name": "127.0.0.1",
  "annotations": {"save-managers": "true"}}, "status": {"capacity": {"memory": "1Gi"}}}' |
    kubectl create -f - >/dev/null

# What it does between the functions counts as one more.
: >"$LOGS/results"
(runTests) >"$LOGS/between.log" 2>&1 && echo "passed between" >>"$LOGS/results" ||
    echo "failed between" >>"$LOGS/results"
