// SPDX-License-Identifier: Apache-2.0

// What the decoder of kube-apiserver says to documents: a line "apiVersion TAB kind TAB document"
// is answered by a line, "fault: ..." or "strict: ...".
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/json"
)

const longest = 1 << 24 // bytes of a line

func answer(types *runtime.Scheme, line string) string {
	words := strings.SplitN(line, "\t", 3)
	object, err := types.New(schema.FromAPIVersionAndKind(words[0], words[1]))
	if err != nil {
		return "no type: " + err.Error()
	}
	findings, err := json.UnmarshalStrict([]byte(words[2]), object)
	if err != nil {
		return "fault: " + err.Error()
	}
	texts := []string{}
	for _, finding := range findings {
		texts = append(texts, finding.Error())
	}
	return "strict: " + strings.Join(texts, ", ")
}

func main() {
	if err := apiextensions.AddToScheme(scheme.Scheme); err != nil {
		panic(err)
	}
	if err := apiregistration.AddToScheme(scheme.Scheme); err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, longest)
	for lines.Scan() {
		fmt.Println(answer(scheme.Scheme, lines.Text()))
	}
	if err := lines.Err(); err != nil {
		panic(err)
	}
}
