// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// follow does what tests/bench/follow_changes.c does: informers on ConfigMaps, a line for each
// change that one of them is told of.
func follow(url string, count, shards int) {
	var lock sync.Mutex
	out := bufio.NewWriter(os.Stdout)
	tell := func(i int, obj any) {
		if object, ok := obj.(*corev1.ConfigMap); ok {
			lock.Lock()
			fmt.Fprintf(out, "%d %s %s %d\n", i, object.Name, object.Data["n"], time.Now().UnixNano())
			lock.Unlock()
		}
	}
	client, err := kubernetes.NewForConfig(&rest.Config{Host: url, QPS: -1})
	if err != nil {
		fail(err)
	}
	stop := make(chan struct{})
	synced := []cache.InformerSynced{}
	for i := 0; i < count; i++ {
		selector := fmt.Sprintf("shard=%d,follower!=%d", i%shards, i)
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0,
			informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.LabelSelector = selector }))
		informer := factory.Core().V1().ConfigMaps().Informer()
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(obj any) { tell(i, obj) },
			UpdateFunc: func(_, obj any) { tell(i, obj) },
		}); err != nil {
			fail(err)
		}
		factory.Start(stop)
		synced = append(synced, informer.HasSynced)
	}
	cache.WaitForCacheSync(stop, synced...)
	fmt.Fprintln(out, "ready")
	go func() {
		for range time.Tick(50 * time.Millisecond) {
			lock.Lock()
			out.Flush()
			lock.Unlock()
		}
	}()
	io.Copy(io.Discard, os.Stdin)
}
