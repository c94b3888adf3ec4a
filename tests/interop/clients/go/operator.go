// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// placer knows on which node each pod is.  It reads Go's own type, or objects without one as
// operators do that handle kinds which they do not know.
type placer struct {
	client  client.Client
	newPod  func() client.Object
	newPods func() client.ObjectList
	nodeOf  func(client.Object) string
	lock    sync.Mutex
	nodes   map[types.NamespacedName]string
	told    int // of them in the last report
}

func typedPlacer() *placer {
	return &placer{
		newPod:  func() client.Object { return &corev1.Pod{} },
		newPods: func() client.ObjectList { return &corev1.PodList{} },
		nodeOf:  func(obj client.Object) string { return obj.(*corev1.Pod).Spec.NodeName },
	}
}

func unstructuredPlacer() *placer {
	return &placer{
		newPod: func() client.Object {
			pod := &unstructured.Unstructured{}
			pod.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
			return pod
		},
		newPods: func() client.ObjectList {
			pods := &unstructured.UnstructuredList{}
			pods.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("PodList"))
			return pods
		},
		nodeOf: func(obj client.Object) string {
			node, _, _ := unstructured.NestedString(obj.(*unstructured.Unstructured).Object, "spec", "nodeName")
			return node
		},
	}
}

type operatorReport struct {
	Pods   int    `json:"pods"`   // in the cache
	Placed int    `json:"placed"` // by Reconcile
	Heap   uint64 `json:"heap"`   // bytes that live; 0: not measured
	Rss    int64  `json:"rss"`    // bytes; 0: not measured
}

func (p *placer) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	pod := p.newPod()
	err := p.client.Get(ctx, request.NamespacedName, pod)
	if client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, err
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	if err != nil || p.nodeOf(pod) == "" {
		delete(p.nodes, request.NamespacedName)
	} else {
		p.nodes[request.NamespacedName] = p.nodeOf(pod)
	}
	return ctrl.Result{}, nil
}

func residentBytes() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, _ := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

func (p *placer) report(ctx context.Context) (any, error) {
	p.lock.Lock()
	report := operatorReport{Placed: len(p.nodes)}
	isBusy := report.Placed != p.told
	p.told = report.Placed
	p.lock.Unlock()
	if isBusy { // to count and to measure would take its time
		return report, nil
	}
	pods := p.newPods()
	if err := p.client.List(ctx, pods, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	report.Pods = meta.LenList(pods)
	pods = nil
	debug.FreeOSMemory()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	report.Heap, report.Rss = memory.HeapAlloc, residentBytes()
	return report, nil
}

// startOperator runs the placer; what is held is how much memory its cache takes.
func startOperator(ctx context.Context, config *rest.Config, mode string) (held, error) {
	log.SetLogger(zap.New())
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Metrics: server.Options{BindAddress: "0"},
		Client:  client.Options{Cache: &client.CacheOptions{Unstructured: true}},
	})
	if err != nil {
		return nil, err
	}
	placer := typedPlacer()
	if mode == "unstructured" {
		placer = unstructuredPlacer()
	}
	placer.client, placer.nodes = manager.GetClient(), map[types.NamespacedName]string{}
	if err := ctrl.NewControllerManagedBy(manager).For(placer.newPod()).Complete(placer); err != nil {
		return nil, err
	}
	go func() {
		if err := manager.Start(ctx); err != nil {
			fail(err)
		}
	}()
	if !manager.GetCache().WaitForCacheSync(ctx) {
		return nil, fmt.Errorf("the operator's cache was never filled")
	}
	return func() (any, error) { return placer.report(ctx) }, nil
}
