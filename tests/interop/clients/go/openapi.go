// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strings"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/openapi3"
	"k8s.io/client-go/rest"
	models "k8s.io/kube-openapi/pkg/util/proto"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/yaml"
)

// normalise makes texts of YAML that mean the same the same, in |message| and all in it.
func normalise(message protoreflect.Message) error {
	var trouble error
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.FullName() == "openapi.v2.Any.yaml":
			var text []byte
			if text, trouble = yaml.YAMLToJSON([]byte(value.String())); trouble == nil {
				message.Set(field, protoreflect.ValueOfString(string(text)))
			}
		case field.FullName() == "openapi.v2.Any.value":
			message.Clear(field)
		case field.IsList() && field.Message() != nil:
			for i := 0; i < value.List().Len() && trouble == nil; i++ {
				trouble = normalise(value.List().Get(i).Message())
			}
		case field.Message() != nil:
			trouble = normalise(value.Message())
		}
		return trouble == nil
	})
	return trouble
}

// readV2 compares the two forms of /openapi/v2, and makes models of it as kubectl does.
func readV2(client *discovery.DiscoveryClient) error {
	asked, err := client.OpenAPISchema() // protobuf
	if err != nil {
		return err
	}
	text, err := client.RESTClient().Get().AbsPath("/openapi/v2").
		SetHeader("Accept", "application/json").Do(context.Background()).Raw()
	if err != nil {
		return err
	}
	parsed, err := openapi_v2.ParseDocument(text)
	if err != nil {
		return err
	}
	if _, err := models.NewOpenAPIData(asked); err != nil {
		return err
	}
	for _, document := range []*openapi_v2.Document{asked, parsed} {
		if err := normalise(document.ProtoReflect()); err != nil {
			return err
		}
	}
	if !proto.Equal(asked, parsed) {
		return fmt.Errorf("/openapi/v2 is not the same in JSON and in protobuf")
	}
	return nil
}

// checkRefs sees that what |schema| and those in it refer to is among |all|.
func checkRefs(schema *spec.Schema, all map[string]*spec.Schema) error {
	if name, ok := strings.CutPrefix(schema.Ref.String(), "#/components/schemas/"); ok && all[name] == nil {
		return fmt.Errorf("there is no %s", name)
	}
	var below []*spec.Schema
	for _, property := range schema.Properties {
		below = append(below, &property)
	}
	for i := range schema.AllOf {
		below = append(below, &schema.AllOf[i])
	}
	if schema.Items != nil {
		below = append(below, schema.Items.Schema)
	}
	if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
		below = append(below, schema.AdditionalProperties.Schema)
	}
	for _, one := range below {
		if err := checkRefs(one, all); err != nil {
			return err
		}
	}
	return nil
}

func readV3(client *discovery.DiscoveryClient) error {
	root := openapi3.NewRoot(client.OpenAPIV3())
	versions, err := root.GroupVersions()
	if err != nil {
		return err
	}
	for _, version := range versions {
		document, err := root.GVSpec(version)
		if err != nil {
			return fmt.Errorf("%s: %w", version, err)
		}
		for name, schema := range document.Components.Schemas {
			if err := checkRefs(schema, document.Components.Schemas); err != nil {
				return fmt.Errorf("%s: %s: %w", version, name, err)
			}
		}
		fmt.Println(version, len(document.Components.Schemas), "schemas", len(document.Paths.Paths), "paths")
	}
	return nil
}

// readOpenAPI reads every document as Go's clients do.
func readOpenAPI(config *rest.Config) error {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return err
	}
	if err := readV2(client); err != nil {
		return err
	}
	return readV3(client)
}
