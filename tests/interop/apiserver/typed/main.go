// SPDX-License-Identifier: Apache-2.0

// client-go's typed clients in protobuf and nothing else, against the server of a kubeconfig:
//
//	typed KUBECONFIG
//
// Every request that has a body and every reply must be protobuf.  Prints "ok" and what was seen,
// or says what is wrong and fails.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"strings"
	"time"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	protobuf = "application/vnd.kubernetes.protobuf"
	space    = "typed-protobuf"
	patience = 60 * time.Second
	many     = 300 // objects of the long list
	filler   = 8192
)

// witness looks at what goes over the wire.
type witness struct {
	next    http.RoundTripper
	replies int
}

func (w *witness) RoundTrip(request *http.Request) (*http.Response, error) {
	sent := request.Header.Get("Content-Type")
	if request.Body != nil && sent != protobuf && !strings.HasSuffix(sent, "patch+json") {
		return nil, fmt.Errorf("%s %s was sent as %q", request.Method, request.URL.Path, sent)
	}
	reply, err := w.next.RoundTrip(request)
	if err == nil && !strings.HasPrefix(reply.Header.Get("Content-Type"), protobuf) {
		return nil, fmt.Errorf("%s %s was answered as %q", request.Method, request.URL.Path,
			reply.Header.Get("Content-Type"))
	}
	w.replies++
	return reply, err
}

func must(err error) {
	if err != nil {
		fail("%v", err)
	}
}

func fail(format string, words ...any) {
	fmt.Printf("wrong: "+format+"\n", words...)
	os.Exit(1)
}

func same(what string, a, b any) {
	if !equality.Semantic.DeepEqual(a, b) {
		fail("%s: %#v is not %#v", what, a, b)
	}
}

// next is the next event that is no bookmark.
func next(from watch.Interface) watch.Event {
	deadline := time.After(patience)
	for {
		select {
		case event, ok := <-from.ResultChan():
			if !ok {
				fail("the watch has ended")
			}
			if event.Type != watch.Bookmark {
				return event
			}
		case <-deadline:
			fail("no event came")
		}
	}
}

func checkConfigs(ctx context.Context, client kubernetes.Interface) {
	configs := client.CoreV1().ConfigMaps(space)
	list, err := configs.List(ctx, meta.ListOptions{})
	must(err)
	// A new namespace may get kube-root-ca.crt at any time.
	events, err := configs.Watch(ctx, meta.ListOptions{ResourceVersion: list.ResourceVersion,
		FieldSelector: "metadata.name=one", AllowWatchBookmarks: true})
	must(err)
	made, err := configs.Create(ctx, &core.ConfigMap{
		ObjectMeta: meta.ObjectMeta{Name: "one", Labels: map[string]string{"b": "2", "a": "1"}},
		Data:       map[string]string{"text": "é \"quoted\"\n"},
		BinaryData: map[string][]byte{"bytes": {0, 255, 10}, "none": {}}}, meta.CreateOptions{})
	must(err)
	got, err := configs.Get(ctx, "one", meta.GetOptions{})
	must(err)
	same("what was created", made, got)
	same("data", made.BinaryData["bytes"], []byte{0, 255, 10})
	if made.UID == "" || made.CreationTimestamp.IsZero() {
		fail("no metadata: %v", made.ObjectMeta)
	}
	event := next(events)
	same("the event", []any{event.Type, event.Object}, []any{watch.Added, made})
	got.Data["more"] = "1"
	updated, err := configs.Update(ctx, got, meta.UpdateOptions{})
	must(err)
	same("the update", updated.Data["more"], "1")
	_, err = configs.Update(ctx, made, meta.UpdateOptions{})
	if !errors.IsConflict(err) {
		fail("an old object was written: %v", err)
	}
	same("the event", next(events).Object, updated)
	patched, err := configs.Patch(ctx, "one", types.StrategicMergePatchType,
		[]byte(`{"data":{"more":null}}`), meta.PatchOptions{})
	must(err)
	same("the patch", patched.Data, made.Data)
	same("the event", next(events).Object, patched)
	grace, uid := int64(0), types.UID("other")
	err = configs.Delete(ctx, "one", meta.DeleteOptions{Preconditions: &meta.Preconditions{UID: &uid}})
	if !errors.IsConflict(err) {
		fail("another object was deleted: %v", err)
	}
	must(configs.Delete(ctx, "one", meta.DeleteOptions{GracePeriodSeconds: &grace}))
	event = next(events)
	same("the event", event.Type, watch.Deleted)
	same("what was deleted", event.Object.(*core.ConfigMap).Data, patched.Data)
	events.Stop()
	_, err = configs.Get(ctx, "one", meta.GetOptions{})
	if !errors.IsNotFound(err) {
		fail("not a NotFound: %v", err)
	}
}

func deployment() *apps.Deployment {
	labels := map[string]string{"app": "a"}
	port := intstr.FromString("http")
	return &apps.Deployment{ObjectMeta: meta.ObjectMeta{Name: "one"}, Spec: apps.DeploymentSpec{
		Selector: &meta.LabelSelector{MatchLabels: labels},
		Template: core.PodTemplateSpec{ObjectMeta: meta.ObjectMeta{Labels: labels},
			Spec: core.PodSpec{Containers: []core.Container{{Name: "c", Image: "i",
				Ports: []core.ContainerPort{{Name: "http", ContainerPort: 80}},
				LivenessProbe: &core.Probe{ProbeHandler: core.ProbeHandler{
					HTTPGet: &core.HTTPGetAction{Port: port}}},
				Resources: core.ResourceRequirements{Limits: core.ResourceList{
					core.ResourceCPU: resource.MustParse("100m")}}}}}}}}
}

func checkDeployments(ctx context.Context, client kubernetes.Interface) {
	all := client.AppsV1().Deployments(space)
	made, err := all.Create(ctx, deployment(), meta.CreateOptions{})
	must(err)
	container := made.Spec.Template.Spec.Containers[0]
	if made.Spec.Replicas == nil || *made.Spec.Replicas != 1 || container.Ports[0].Protocol != "TCP" {
		fail("no defaults: %v", made.Spec)
	}
	same("the port", container.LivenessProbe.HTTPGet.Port, intstr.FromString("http"))
	same("the limit", container.Resources.Limits.Cpu().String(), "100m")
	scale, err := all.GetScale(ctx, "one", meta.GetOptions{})
	must(err)
	scale.Spec.Replicas = 3
	_, err = all.UpdateScale(ctx, "one", scale, meta.UpdateOptions{})
	must(err)
	made, err = all.Get(ctx, "one", meta.GetOptions{})
	must(err)
	same("the scale", *made.Spec.Replicas, int32(3))
	made.Status.Replicas = 2
	_, err = all.UpdateStatus(ctx, made, meta.UpdateOptions{})
	must(err)
	made, err = all.Get(ctx, "one", meta.GetOptions{})
	must(err)
	same("the status", made.Status.Replicas, int32(2))
	_, err = all.Create(ctx, &apps.Deployment{ObjectMeta: meta.ObjectMeta{Name: "Bad Name"}},
		meta.CreateOptions{})
	if status, ok := err.(errors.APIStatus); !ok || !errors.IsInvalid(err) ||
		len(status.Status().Details.Causes) == 0 {
		fail("not an Invalid: %v", err)
	}
	must(all.Delete(ctx, "one", meta.DeleteOptions{}))
}

// checkLongList has a list of more than a megabyte, in one go and in pages.
func checkLongList(ctx context.Context, client kubernetes.Interface) {
	secrets := client.CoreV1().Secrets(space)
	for i := range many {
		_, err := secrets.Create(ctx, &core.Secret{
			ObjectMeta: meta.ObjectMeta{Name: fmt.Sprintf("s%03d", i), Labels: map[string]string{"long": "list"}},
			Data:       map[string][]byte{"x": make([]byte, filler+i)}}, meta.CreateOptions{})
		must(err)
	}
	chosen := meta.ListOptions{LabelSelector: "long=list"}
	whole, err := secrets.List(ctx, chosen)
	must(err)
	paged := []core.Secret{}
	for chosen.Limit = 70; ; {
		page, err := secrets.List(ctx, chosen)
		must(err)
		paged = append(paged, page.Items...)
		if chosen.Continue = page.Continue; page.Continue == "" {
			break
		}
	}
	same("how many there are", len(whole.Items), many)
	if !reflect.DeepEqual(whole.Items, paged) {
		fail("the pages have not what the list has")
	}
	for i := range whole.Items {
		same("a length", len(whole.Items[i].Data["x"]), filler+i)
	}
	must(secrets.DeleteCollection(ctx, meta.DeleteOptions{}, meta.ListOptions{LabelSelector: "long=list"}))
}

func checkMetadata(ctx context.Context, client metadata.Interface) {
	resource := core.SchemeGroupVersion.WithResource("namespaces")
	list, err := client.Resource(resource).List(ctx, meta.ListOptions{})
	must(err)
	events, err := client.Resource(resource).Watch(ctx, meta.ListOptions{ResourceVersion: "0"})
	must(err)
	first, ok := next(events).Object.(*meta.PartialObjectMetadata)
	if !ok || first.Name == "" || len(list.Items) == 0 {
		fail("no metadata: %v", list)
	}
	events.Stop()
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	must(err)
	seen := &witness{}
	config.QPS, config.Burst = 1000, 1000
	config.ContentType, config.AcceptContentTypes = protobuf, protobuf
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		seen.next = next
		return seen
	})
	client, err := kubernetes.NewForConfig(config)
	must(err)
	ctx := context.Background()
	_, err = client.CoreV1().Namespaces().Create(ctx,
		&core.Namespace{ObjectMeta: meta.ObjectMeta{Name: space}}, meta.CreateOptions{})
	must(err)
	checkConfigs(ctx, client)
	checkDeployments(ctx, client)
	checkLongList(ctx, client)
	must(client.CoreV1().Namespaces().Delete(ctx, space, meta.DeleteOptions{}))
	plain, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	must(err)
	about, err := metadata.NewForConfig(plain)
	must(err)
	checkMetadata(ctx, about)
	fmt.Printf("ok %d replies\n", seen.replies)
}
