#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# build.sh -- builds the real kube-apiserver and etcd that `make interop` talks to, and clients in Go.
# Where one cannot be built, says why and fails.
#
#   build.sh FOLDER [PROGRAM...]     programs: kube-apiserver, etcd, which are built unless others are
#                                    named; kube-controller-manager, kube-scheduler, kube-proxy,
#                                    kubelet and stub-runtime, its container runtime without
#                                    containers; kubectl, goclients, kubernetes-e2e; agnhost and
#                                    sample-apiserver, which are in the images of its pods;
#                                    kube-apiserver-oldest: of the oldest version that still builds
#
# The first time takes from minutes to half an hour, and two gigabytes for Go's caches.
set -u
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1" || exit 1
folder=$(cd "$1" && pwd)
shift

if ! command -v go >/dev/null 2>&1; then
    echo "there is no go in PATH to build ${*:-kube-apiserver and etcd} with"
    exit 1
fi

oldest=v1.26.15

# build PROGRAM SOURCE VERSION LINKER-FLAGS [PACKAGE]: of another module that go.mod names as a tool
build() {
    if ! (cd "$here/$2" && nice go build -buildvcs=false -p "${JOBS:-2}" -o "$folder/$1" \
        -ldflags "-s -w $4" "${5:-.}") >"$folder/$1.log" 2>&1; then
        echo "$1 $3 does not build: $(tail -n 1 "$folder/$1.log")"
        exit 1
    fi
}

# stamped VERSION: what the linker puts into a program of Kubernetes as its version.
stamped() {
    stamp=k8s.io/component-base/version
    minor=${1#v1.}
    echo "-X $stamp.gitVersion=$1 -X $stamp.gitMajor=1 -X $stamp.gitMinor=${minor%%.*}"
}

# required SOURCE MODULE: the version that go.mod asks for.
required() {
    sed -n "s|^\(require \)\{0,1\}[[:space:]]*$2 ||p" "$here/$1/go.mod" | head -n 1
}

for program in ${*:-kube-apiserver etcd}; do
    case $program in
    kube-apiserver)
        version=$(required apiserver k8s.io/kubernetes)
        build kube-apiserver apiserver "$version" "$(stamped "$version")"
        ;;
    kube-apiserver-oldest)
        # Its modules are found when it is built: nothing else uses them.
        mkdir -p "$folder/oldest" && cp "$here/apiserver/main.go" "$here/apiserver/gomod.sh" \
            "$folder/oldest/" || exit 1
        if ! grep -q "k8s.io/kubernetes $oldest\$" "$folder/oldest/go.mod" 2>/dev/null &&
            ! sh "$folder/oldest/gomod.sh" "$oldest" >"$folder/kube-apiserver-oldest.log" 2>&1; then
            echo "no modules of Kubernetes $oldest: $(tail -n 1 "$folder/kube-apiserver-oldest.log")"
            exit 1
        fi
        (here=$folder && build kube-apiserver-oldest oldest "$oldest" "$(stamped "$oldest")") || exit 1
        ;;
    kube-controller-manager | kube-scheduler | kube-proxy | kubelet | stub-runtime)
        version=$(required apiserver k8s.io/kubernetes)
        source=${program#kube-}
        build "$program" "apiserver/${source#stub-}" "$version" "$(stamped "$version")"
        ;;
    kubernetes-e2e)
        version=$(required apiserver k8s.io/kubernetes)
        build kubernetes-e2e apiserver/e2e "$version" "$(stamped "$version")"
        ;;
    agnhost | sample-apiserver)
        version=$(required apiserver k8s.io/kubernetes)
        package=k8s.io/$program
        test "$program" = agnhost && package=k8s.io/kubernetes/test/images/agnhost
        build "$program" apiserver "$version" "$(stamped "$version")" "$package"
        ;;
    etcd)
        build etcd etcd "$(required etcd go.etcd.io/etcd/server/v3)" ""
        ;;
    kubectl)
        version=$(required clients/kubectl k8s.io/kubectl)
        build kubectl clients/kubectl "$version" "$(stamped "v1.${version#v0.}")"
        ;;
    goclients)
        build goclients clients/go "$(required clients/go k8s.io/client-go)" ""
        ;;
    *)
        echo "build.sh knows no $program"
        exit 1
        ;;
    esac
done
