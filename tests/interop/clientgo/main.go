// SPDX-License-Identifier: Apache-2.0

// The work that bench-client measures, done by client-go: an informer on pods, read, notified and
// kept busy.  Prints the same line of name=value.
//
//	clientgo sync|watch typed-json|typed-protobuf|dynamic-json URL PODS EVENTS
//	clientgo encode list|events URL COUNT FILE       JSON from URL, in protobuf into FILE
//	clientgo follow - URL INFORMERS SHARDS           a line for each change, see follow.go
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type moment struct {
	wall time.Time
	cpu  time.Duration
}

func usage() syscall.Rusage {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		fail(err)
	}
	return used
}

func now() moment {
	used := usage()
	return moment{time.Now(), time.Duration(used.Utime.Nano() + used.Stime.Nano())}
}

func (m moment) wallMs(since moment) float64 { return float64(m.wall.Sub(since.wall)) / 1e6 }
func (m moment) cpuMs(since moment) float64  { return float64(m.cpu-since.cpu) / 1e6 }

func rssKb() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, _ := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	return pages * int64(os.Getpagesize()) / 1024
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "clientgo:", err)
	os.Exit(1)
}

func nodeOf(obj any) string {
	switch pod := obj.(type) {
	case *corev1.Pod:
		return pod.Spec.NodeName
	case *unstructured.Unstructured:
		node, _, _ := unstructured.NestedString(pod.Object, "spec", "nodeName")
		return node
	}
	return ""
}

func dropManagedFields(obj any) (any, error) {
	if accessor, err := meta.Accessor(obj); err == nil {
		accessor.SetManagedFields(nil)
	}
	return obj, nil
}

func makeInformer(mode, url string) cache.SharedIndexInformer {
	config := &rest.Config{Host: url, QPS: -1}
	if mode == "dynamic-json" {
		client, err := dynamic.NewForConfig(config)
		if err != nil {
			fail(err)
		}
		pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
		return dynamicinformer.NewDynamicSharedInformerFactory(client, 0).ForResource(pods).Informer()
	}
	if mode == "typed-protobuf" {
		config.ContentType = "application/vnd.kubernetes.protobuf"
		config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	} else {
		config.ContentType = "application/json"
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		fail(err)
	}
	return informers.NewSharedInformerFactory(client, 0).Core().V1().Pods().Informer()
}

// counter is a handler that counts, and tells when it has come so far.
type counter struct {
	count, wanted atomic.Int64
	reached       chan struct{}
}

func newCounter(wanted int64) *counter {
	c := &counter{reached: make(chan struct{}, 1)}
	c.wanted.Store(wanted)
	return c
}

func (c *counter) tell() {
	if c.count.Add(1) == c.wanted.Load() {
		c.reached <- struct{}{}
	}
}

func (c *counter) handler() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { c.tell() },
		UpdateFunc: func(_, _ any) { c.tell() },
		DeleteFunc: func(any) { c.tell() },
	}
}

func startInformer(mode, url string, told *counter, stop chan struct{}) cache.SharedIndexInformer {
	informer := makeInformer(mode, url)
	if err := informer.SetTransform(dropManagedFields); err != nil {
		fail(err)
	}
	byNode := cache.Indexers{"node": func(obj any) ([]string, error) { return []string{nodeOf(obj)}, nil }}
	if err := informer.AddIndexers(byNode); err != nil {
		fail(err)
	}
	if _, err := informer.AddEventHandler(told.handler()); err != nil {
		fail(err)
	}
	go informer.Run(stop)
	return informer
}

func measureReads(informer cache.SharedIndexInformer) {
	indexer := informer.GetIndexer()
	all := indexer.List()
	keys := make([]string, len(all))
	for i, obj := range all {
		keys[i], _ = cache.MetaNamespaceKeyFunc(obj)
	}
	found, hits := 0, 0
	start := now()
	for _, key := range keys {
		if _, exists, _ := indexer.GetByKey(key); exists {
			found++
		}
	}
	end := now()
	fmt.Printf(" get_ns=%.0f", end.cpuMs(start)*1e6/float64(len(keys)))
	start = now()
	for i := 0; i < 2000 && i < len(all); i++ {
		objects, _ := indexer.ByIndex("node", nodeOf(all[i]))
		hits += len(objects)
	}
	end = now()
	fmt.Printf(" index_ns=%.1f", end.cpuMs(start)*1e6/float64(max(hits, 1)))
	start = now()
	for i := 0; i < 20; i++ {
		runtime.KeepAlive(indexer.List())
	}
	end = now()
	fmt.Printf(" list_ms=%.2f found=%d", end.cpuMs(start)/20, found)
}

func measureNotifications(informer cache.SharedIndexInformer, pods int64) {
	late := newCounter(pods)
	start := now()
	if _, err := informer.AddEventHandler(late.handler()); err != nil {
		fail(err)
	}
	<-late.reached
	fmt.Printf(" notify_ns=%.0f", now().cpuMs(start)*1e6/float64(pods))
}

func workSync(mode, url string, pods int64) {
	told, stop := newCounter(pods), make(chan struct{})
	start := now()
	informer := startInformer(mode, url, told, stop)
	<-told.reached
	end := now()
	peak := usage().Maxrss
	runtime.GC()
	debug.FreeOSMemory() // the best that can be said of what stays
	fmt.Printf("objects=%d wall_ms=%.1f cpu_ms=%.1f peak_kb=%d rss_kb=%d",
		len(informer.GetIndexer().ListKeys()), end.wallMs(start), float64(end.cpu)/1e6, peak, rssKb())
	measureReads(informer)
	measureNotifications(informer, pods)
	fmt.Println()
}

func workWatch(mode, url string, pods, events int64) {
	told, stop := newCounter(pods), make(chan struct{})
	startInformer(mode, url, told, stop)
	<-told.reached
	start := now()
	early := told.count.Load() - pods
	told.wanted.Store(pods + events)
	if told.count.Load() < pods+events {
		<-told.reached
	}
	end := now()
	fmt.Printf("events=%d wall_ms=%.1f cpu_ms=%.1f peak_kb=%d rss_kb=%d\n", events-early,
		end.wallMs(start), end.cpuMs(start), usage().Maxrss, rssKb())
}

func main() {
	if len(os.Args) != 6 {
		fail(fmt.Errorf("sync|watch MODE URL PODS EVENTS, or encode list|events URL COUNT FILE"))
	}
	work, mode, url := os.Args[1], os.Args[2], os.Args[3]
	count, err := strconv.ParseInt(os.Args[4], 10, 64)
	if err != nil {
		fail(err)
	}
	if work == "encode" {
		encode(mode, url, count, os.Args[5])
		return
	}
	events, err := strconv.ParseInt(os.Args[5], 10, 64)
	if err != nil {
		fail(err)
	}
	if work == "follow" {
		follow(url, int(count), int(events))
	} else if work == "sync" {
		workSync(mode, url, count)
	} else {
		workWatch(mode, url, count, events)
	}
}
