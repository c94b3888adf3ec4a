// SPDX-License-Identifier: Apache-2.0

// Informers of client-go, and a controller of controller-runtime, on the server that KUBECONFIG
// names.
//
//	goclients typed|dynamic|metadata RESOURCE    "configmaps", or "widgets.v1.example.com"
//	goclients manager                            a Secret for each ConfigMap labelled copy=wanted
//	goclients fleet COUNT RESOURCE,...           many informers, see fleet.go
//	goclients operator typed|unstructured        a cache of all Pods; answers with its memory
//	goclients openapi                            reads all OpenAPI documents, and ends
//
// The others say "ready" when their cache is filled; they answer each line of standard input with
// what it holds, {"namespace/name":"resourceVersion"}, and end with it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// held is what a cache has now, most often "namespace/name" and its resourceVersion.
type held func() (any, error)

func fail(err error) {
	fmt.Fprintln(os.Stderr, "goclients:", err)
	os.Exit(1)
}

// resource reads "configmaps" or "widgets.v1.example.com".
func resource(name string) schema.GroupVersionResource {
	if full, _ := schema.ParseResourceArg(name); full != nil {
		return *full
	}
	return schema.GroupVersionResource{Version: "v1", Resource: name}
}

func makeInformer(mode string, config *rest.Config, gvr schema.GroupVersionResource) (cache.SharedIndexInformer, error) {
	switch mode {
	case "dynamic":
		client, err := dynamic.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		return dynamicinformer.NewDynamicSharedInformerFactory(client, 0).ForResource(gvr).Informer(), nil
	case "metadata":
		client, err := metadata.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		return metadatainformer.NewSharedInformerFactory(client, 0).ForResource(gvr).Informer(), nil
	case "typed":
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		generic, err := informers.NewSharedInformerFactory(client, 0).ForResource(gvr)
		if err != nil {
			return nil, err
		}
		return generic.Informer(), nil
	}
	return nil, fmt.Errorf("there is no mode %q", mode)
}

func startInformer(ctx context.Context, mode string, config *rest.Config, name string) (held, error) {
	informer, err := makeInformer(mode, config, resource(name))
	if err != nil {
		return nil, err
	}
	go informer.Run(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return nil, fmt.Errorf("the cache of %s was never filled", name)
	}
	return func() (any, error) {
		found := map[string]string{}
		for _, item := range informer.GetStore().List() {
			if err := note(found, item); err != nil {
				return nil, err
			}
		}
		return found, nil
	}, nil
}

func note(found map[string]string, item any) error {
	accessor, err := meta.Accessor(item)
	if err != nil {
		return err
	}
	key := strings.TrimPrefix(accessor.GetNamespace()+"/"+accessor.GetName(), "/")
	found[key] = accessor.GetResourceVersion()
	return nil
}

// answer says what is held, once a line of standard input.
func answer(what held) {
	lines := bufio.NewScanner(os.Stdin)
	fmt.Println("ready")
	for lines.Scan() {
		found, err := what()
		if err != nil {
			fail(err)
		}
		text, err := json.Marshal(found)
		if err != nil {
			fail(err)
		}
		fmt.Println(string(text))
	}
}

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("usage: goclients typed|dynamic|metadata RESOURCE, fleet COUNT RESOURCES, manager, operator or openapi"))
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		fail(err)
	}
	if os.Args[1] == "openapi" {
		if err := readOpenAPI(config); err != nil {
			fail(err)
		}
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var what held
	if os.Args[1] == "manager" {
		what, err = startManager(ctx, config)
	} else if os.Args[1] == "operator" && len(os.Args) == 3 {
		what, err = startOperator(ctx, config, os.Args[2])
	} else if os.Args[1] == "fleet" && len(os.Args) == 4 {
		what, err = startFleet(ctx, config, os.Args[2], os.Args[3])
	} else if len(os.Args) == 3 {
		what, err = startInformer(ctx, os.Args[1], config, os.Args[2])
	} else {
		err = fmt.Errorf("which resource?")
	}
	if err != nil {
		fail(err)
	}
	answer(what)
}
