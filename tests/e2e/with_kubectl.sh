# SPDX-License-Identifier: Apache-2.0
# with_kubectl.sh -- sourced after tap.sh and serving.sh by tests called as TEST PROGRAM FOLDER, with
# FOLDER being where `make deps` put kubectl: sets program and kubectl_program, and goes into a
# folder that is nobody's home yet.  Without kubectl the test is skipped.
program=$(absolute "$1")
if ! kubectl_program=$(sh "$here/../../tools/kubectl.sh" path "$(absolute "$2")"); then
    echo "1..0 # SKIP no kubectl of the package kubernetes-client; make deps fetches it"
    exit 0
fi
cd "$dir" || exit 1
export HOME="$dir"
unset KUBECONFIG
