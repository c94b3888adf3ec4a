// SPDX-License-Identifier: Apache-2.0

// What the types of Kubernetes make of documents in protobuf: a line "apiVersion TAB kind TAB
// document" is answered by a line "hex of the protobuf TAB JSON of what is read back from it", or
// by "fault: ...".
package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

const longest = 1 << 24 // bytes of a line

func answer(types *runtime.Scheme, line string) (string, error) {
	words := strings.SplitN(line, "\t", 3)
	kind := schema.FromAPIVersionAndKind(words[0], words[1])
	object, err := types.New(kind)
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal([]byte(words[2]), object); err != nil {
		return "", err
	}
	object.GetObjectKind().SetGroupVersionKind(kind)
	codec := protobuf.NewSerializer(types, types)
	encoded, err := runtime.Encode(codec, object)
	if err != nil {
		return "", err
	}
	back, _ := types.New(kind)
	if _, _, err := codec.Decode(encoded, nil, back); err != nil {
		return "", err
	}
	back.GetObjectKind().SetGroupVersionKind(kind)
	text, err := json.Marshal(back)
	return hex.EncodeToString(encoded) + "\t" + string(text), err
}

func main() {
	types := scheme.Scheme
	if err := apiextensions.AddToScheme(types); err != nil {
		panic(err)
	}
	if err := apiregistration.AddToScheme(types); err != nil {
		panic(err)
	}
	if err := apidiscovery.AddToScheme(types); err != nil {
		panic(err)
	}
	if err := meta.AddMetaToScheme(types); err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, longest)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		text, err := answer(types, lines.Text())
		if err != nil {
			text = "fault: " + err.Error()
		}
		fmt.Fprintln(out, text)
	}
	if err := lines.Err(); err != nil {
		panic(err)
	}
}
