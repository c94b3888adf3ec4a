#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# gomod.sh -- writes go.mod and go.sum for a kube-apiserver of the version given.
#
#   sh gomod.sh v1.37.2
#
# Kubernetes' own go.mod replaces its staging modules by folders of its repository, and the
# replacements of a module that is required count for nothing.  Each is published as v0.MINOR.PATCH
# too: those are named here.  Run by hand to move to another version; the result is committed.
set -eu

version=${1:?usage: gomod.sh v1.MINOR.PATCH}
staging=v0.${version#v1.}
cd "$(dirname "$0")"

upstream=$(mktemp)
trap 'rm -f "$upstream"' EXIT
cp "$(cd / && go list -m -f '{{.GoMod}}' "k8s.io/kubernetes@$version")" "$upstream"

{
    printf 'module listwatch.example/apiserver\n\n'
    grep -E '^go [0-9]' "$upstream"
    if test -d e2e; then # beside kube-apiserver, the programs in the images of the suite
        printf '\ntool (\n\tk8s.io/kubernetes/test/images/agnhost\n\tk8s.io/sample-apiserver\n)\n'
    fi
    printf '\nrequire (\n'
    printf '\tk8s.io/component-base %s\n' "$staging"
    printf '\tk8s.io/kubernetes %s\n' "$version"
    printf ')\n\nreplace (\n'
    sed -n "s|^[[:space:]]*\(k8s.io/[^ ]*\) => ./staging/.*|	\1 => \1 $staging|p" "$upstream"
    printf ')\n'
} >go.mod
rm -f go.sum
GOFLAGS=-mod=mod go mod tidy
