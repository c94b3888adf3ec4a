// SPDX-License-Identifier: Apache-2.0

// Program typecheck reads ValidatingAdmissionPolicies, one JSON document after the other, and prints
// for each the expressionWarnings that kube-controller-manager would write into its status, on one line.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	admission "k8s.io/api/admissionregistration/v1"
	extensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/scheme"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/meta/testrestmapper"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kubernetes/pkg/generated/openapi"
)

func main() {
	checker := validating.TypeChecker{
		SchemaResolver: resolver.NewDefinitionsSchemaResolver(openapi.GetOpenAPIDefinitions,
			scheme.Scheme, extensions.Scheme),
		RestMapper: meta.MultiRESTMapper{
			testrestmapper.TestOnlyStaticRESTMapper(scheme.Scheme),
			testrestmapper.TestOnlyStaticRESTMapper(extensions.Scheme)},
	}
	for policies := json.NewDecoder(os.Stdin); ; {
		var policy admission.ValidatingAdmissionPolicy
		err := policies.Decode(&policy)
		if errors.Is(err, io.EOF) {
			return
		}
		if err == nil {
			var line []byte
			line, err = json.Marshal(checker.Check(&policy))
			fmt.Println(string(line))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
