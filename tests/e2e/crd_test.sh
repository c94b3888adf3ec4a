#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# crd_test.sh -- custom resources with kubectl and with our own program: defined, used, removed.
#
#   crd_test.sh PROGRAM FOLDER
#
# FOLDER is where `make deps` put kubectl.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
. "$here/serving.sh"
. "$here/with_kubectl.sh"

start_server --data-dir data
trap 'kill "$server" 2>/dev/null; wait; rm -rf "$dir"' EXIT

# k ARGUMENTS: kubectl; its output in out and err, ages as AGE.
k() {
    "$kubectl_program" -s "$plain" "$@" >raw 2>err
    code=$?
    sed -E 's/ [0-9]+[smh]([0-9]+s)?($| )/ AGE\2/g; s/ +$//' raw >out
    return $code
}

# is: standard input is what out holds, but for the width of columns.
is() {
    tr -s ' ' >wanted
    tr -s ' ' <out | diff wanted - >>err
}

cat >crd.yaml <<'END'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  scope: Namespaced
  names:
    plural: widgets
    singular: widget
    kind: Widget
    shortNames: [wd]
    categories: [all]
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size: {type: integer, minimum: 1}
              color: {type: string, default: red}
          status:
            type: object
            properties:
              replicas: {type: integer}
    subresources:
      status: {}
      scale:
        specReplicasPath: .spec.size
        statusReplicasPath: .status.replicas
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    - {name: Color, type: string, jsonPath: .spec.color}
    - {name: Made, type: date, jsonPath: .metadata.creationTimestamp, priority: 1}
    selectableFields:
    - jsonPath: .spec.color
  - name: v1beta1
    served: true
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        x-kubernetes-preserve-unknown-fields: true
END
cat >gear.yaml <<'END'
apiVersion: example.com/v1
kind: Widget
metadata:
  name: gear
spec:
  size: 3
END

k create -f crd.yaml && is <<'END'
customresourcedefinition.apiextensions.k8s.io/widgets.example.com created
END
check "a definition is created"

k explain widget.spec && grep -q '^   size	<integer> -required-$' out
check "explain knows its fields"

k create -f gear.yaml && is <<'END'
widget.example.com/gear created
END
check "an object can be made at once"

follow "$program" watch widgets --server "$plain"
await gear
check "our own watch shows the object"
unfollow

k get crd widgets.example.com -o 'jsonpath={.status.conditions[*].type} {.status.acceptedNames.kind}{"\n"}' \
    && is <<'END'
NamesAccepted Established Widget
END
check "the definition says that it is established"

k get wd && is <<'END'
NAME   SIZE   COLOR
gear   3      red
END
check "the columns of the definition are shown, by its short name"

k get wd -o wide && is <<'END'
NAME   SIZE   COLOR   MADE
gear   3      red     AGE
END
check "wide columns are shown when they are asked for"

k api-resources --api-group=example.com --no-headers && is <<'END'
widgets wd example.com/v1 true Widget
END
check "discovery has the resource"

k get all && grep -q '^widget.example.com/gear' out
check "categories find the object"

k get widgets.v1beta1.example.com gear -o 'jsonpath={.apiVersion}{"\n"}' && is <<'END'
example.com/v1beta1
END
check "another version shows the object as its own"

sed 's/size: 3/size: 4/' gear.yaml >gear4.yaml
k apply -f gear4.yaml && k get widget gear -o 'jsonpath={.spec.size} {.metadata.generation}{"\n"}' \
    && is <<'END'
4 2
END
check "apply changes it with a merge patch"

k get wd --field-selector spec.color=red -o name && is <<'END'
widget.example.com/gear
END
check "selectable fields select"

k scale widget gear --replicas=7 && k get widget gear -o 'jsonpath={.spec.size}{"\n"}' && is <<'END'
7
END
check "scale changes the number that the definition names"

sed 's/size: 3/size: small/; s/gear/bad/' gear.yaml >bad.yaml
! k create -f bad.yaml --validate=false && grep -q \
    'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"' err
check "what the schema does not allow is refused"

! k patch widget gear --type=merge -p '{"spec":{"size":null}}' \
    && grep -q 'spec.size: Required value' err
check "what the schema requires must be there"

k patch widget gear --type=merge -p '{"spec":{"shape":"round"}}' \
    && k get widget gear -o 'jsonpath={.spec.shape}.{"\n"}' && is <<'END'
.
END
check "what the schema does not know is dropped"

follow curl -sN "$plain/apis/example.com/v1/widgets?watch=1&resourceVersion=0"
await gear
k delete crd widgets.example.com --timeout=30s && is <<'END'
customresourcedefinition.apiextensions.k8s.io "widgets.example.com" deleted
END
check "the definition is deleted"
await DELETED
check "a watch shows that its objects go"
wait "$follower"
check "and ends by itself"
exec 8<&-

! k get widgets && grep -q 'the server could not find the requested resource' err
check "the resource is not served any more"

k create -f crd.yaml && k get widgets && [ ! -s out ]
check "the definition can be created again, and has no objects"

k create -f gear.yaml && stop_server && start_server --data-dir data && k get wd && is <<'END'
NAME   SIZE   COLOR
gear   3      red
END
check "definition and objects are there after a restart"

stop_server
check "SIGTERM ends the server with success"
echo "1..$count"
