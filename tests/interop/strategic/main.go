// SPDX-License-Identifier: Apache-2.0

// Seeded random documents and patches, with what k8s.io/apimachinery makes of them: a case a line,
// for strategic_cases.c.
//
//	strategic SEED COUNT
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"reflect"
	"strconv"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// Go walks maps in any order, so a patch may have several outcomes; as often is each one tried, and
// one that has something wrong with it.
const (
	tries      = 6
	wrongTries = 200
)

type kind struct {
	Group, Version, Kind string
	object               any
}

var kinds = []kind{
	{"", "v1", "Pod", corev1.Pod{}},
	{"apps", "v1", "Deployment", appsv1.Deployment{}},
	{"", "v1", "Service", corev1.Service{}},
	{"", "v1", "Node", corev1.Node{}},
}

type outcome struct {
	Group    string            `json:"group"`
	Version  string            `json:"version"`
	Kind     string            `json:"kind"`
	Type     string            `json:"type"`
	Document json.RawMessage   `json:"document"`
	Patch    json.RawMessage   `json:"patch"`
	Results  []json.RawMessage `json:"results"`
	Errors   []string          `json:"errors"`
	Panics   bool              `json:"panics"`
}

func encode(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// stripped is value without the directives in it, which the server drops as unknown fields.
func stripped(value any) any {
	switch typed := value.(type) {
	case map[string]any:
		for name, member := range typed {
			if strings.HasPrefix(name, "$") {
				delete(typed, name)
			} else {
				typed[name] = stripped(member)
			}
		}
	case []any:
		for i := range typed {
			typed[i] = stripped(typed[i])
		}
	}
	return value
}

// applied is what becomes of the document, or why nothing does.
func applied(document, patch []byte, object any) (result []byte, err error, panics bool) {
	defer func() {
		if recover() != nil {
			panics = true
		}
	}()
	result, err = strategicpatch.StrategicMergePatch(document, patch, object)
	if err != nil {
		return nil, err, false
	}
	var value any
	if err := json.Unmarshal(result, &value); err != nil {
		panic(err)
	}
	return encode(stripped(value)), nil, false
}

func (c *outcome) add(result []byte, err error, panics bool) {
	if panics {
		c.Panics = true
		return
	}
	if err != nil {
		for _, known := range c.Errors {
			if known == err.Error() {
				return
			}
		}
		c.Errors = append(c.Errors, err.Error())
		return
	}
	for _, known := range c.Results {
		if string(known) == string(result) {
			return
		}
	}
	c.Results = append(c.Results, result)
}

func strategicCase(r *rand.Rand) outcome {
	k := kinds[r.Intn(len(kinds))]
	maker := maker{r}
	document := maker.structure(reflect.TypeOf(k.object), 0)
	patch := maker.structurePatch(reflect.TypeOf(k.object), document, 0)
	c := outcome{Group: k.Group, Version: k.Version, Kind: k.Kind, Type: "strategic",
		Document: encode(document), Patch: encode(patch)}
	for i := 0; i < tries || (i < wrongTries && len(c.Errors) > 0); i++ {
		c.add(applied(c.Document, c.Patch, k.object))
	}
	return c
}

func mergeCase(r *rand.Rand) outcome {
	maker := maker{r}
	c := outcome{Type: "merge", Document: encode(maker.tree(3, false)),
		Patch: encode(maker.tree(3, true))}
	result, err := jsonpatch.MergePatch(c.Document, c.Patch)
	c.add(result, err, false)
	return c
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: strategic SEED COUNT")
		os.Exit(2)
	}
	seed, err := strconv.ParseInt(os.Args[1], 10, 64)
	count, err2 := strconv.Atoi(os.Args[2])
	if err != nil || err2 != nil {
		fmt.Fprintln(os.Stderr, "SEED and COUNT are numbers")
		os.Exit(2)
	}
	r := rand.New(rand.NewSource(seed))
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	defer out.Flush()
	for i := 0; i < count; i++ {
		var c outcome
		if r.Intn(5) == 0 {
			c = mergeCase(r)
		} else {
			c = strategicCase(r)
		}
		out.Write(encode(c))
		out.WriteByte('\n')
	}
}
