// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

var fleetModes = []string{"typed", "dynamic", "metadata"}

// fleet is many informers, each with a connection of its own, as if each were a process.
type fleet struct {
	members        []fleetMember
	lists, watches atomic.Int64 // requests
}

type fleetMember struct {
	mode, resource string
	informer       cache.SharedIndexInformer
}

// fleetCache is what |Count| informers of one mode on one resource hold.
type fleetCache struct {
	Mode     string            `json:"mode"`
	Resource string            `json:"resource"`
	Count    int               `json:"count"`
	Held     map[string]string `json:"held"`
}

type fleetReport struct {
	Lists   int64         `json:"lists"`
	Watches int64         `json:"watches"`
	Caches  []*fleetCache `json:"caches"`
}

// counting notes which requests an informer sends.  A stream that begins with the state is a list.
type counting struct {
	fleet *fleet
	next  http.RoundTripper
}

func (c *counting) RoundTrip(request *http.Request) (*http.Response, error) {
	query := request.URL.Query()
	if query.Get("watch") == "" || query.Get("sendInitialEvents") == "true" {
		c.fleet.lists.Add(1)
	} else {
		c.fleet.watches.Add(1)
	}
	return c.next.RoundTrip(request)
}

func (f *fleet) add(ctx context.Context, config *rest.Config, mode, name string) error {
	own := rest.CopyConfig(config)
	own.QPS = -1
	// Transports are shared by those who dial in the same way: this one dials by itself.
	own.Dial = (&net.Dialer{}).DialContext
	own.Wrap(func(next http.RoundTripper) http.RoundTripper { return &counting{f, next} })
	informer, err := makeInformer(mode, own, resource(name))
	if err != nil {
		return err
	}
	f.members = append(f.members, fleetMember{mode, name, informer})
	go informer.Run(ctx.Done())
	return nil
}

// describe adds a digest of the whole object where it is kept as it came.
func describe(item any) (string, string, error) {
	found := map[string]string{}
	if err := note(found, item); err != nil {
		return "", "", err
	}
	for key, version := range found {
		object, ok := item.(*unstructured.Unstructured)
		if !ok {
			return key, version, nil
		}
		content := map[string]any{}
		for member, value := range object.Object {
			if member != "kind" && member != "apiVersion" { // items of a list may have none
				content[member] = value
			}
		}
		var text bytes.Buffer
		writer := json.NewEncoder(&text)
		writer.SetEscapeHTML(false)
		if err := writer.Encode(content); err != nil {
			return "", "", err
		}
		sum := sha256.Sum256(bytes.TrimSpace(text.Bytes()))
		return key, version + " " + hex.EncodeToString(sum[:8]), nil
	}
	return "", "", fmt.Errorf("an object has no name")
}

func (f *fleet) report() (any, error) {
	report := fleetReport{Lists: f.lists.Load(), Watches: f.watches.Load()}
	same := map[string]*fleetCache{}
	for _, member := range f.members {
		held := map[string]string{}
		for _, item := range member.informer.GetStore().List() {
			key, value, err := describe(item)
			if err != nil {
				return nil, err
			}
			held[key] = value
		}
		text, err := json.Marshal(held) // sorted
		if err != nil {
			return nil, err
		}
		id := member.mode + " " + member.resource + " " + string(text)
		if same[id] == nil {
			same[id] = &fleetCache{member.mode, member.resource, 0, held}
			report.Caches = append(report.Caches, same[id])
		}
		same[id].Count++
	}
	return report, nil
}

// startFleet starts |count| informers, which take turns in mode and resource.
func startFleet(ctx context.Context, config *rest.Config, count, resources string) (held, error) {
	total, err := strconv.Atoi(count)
	if err != nil {
		return nil, err
	}
	names := strings.Split(resources, ",")
	f := &fleet{}
	for i := 0; i < total; i++ {
		mode, name := fleetModes[i%len(fleetModes)], names[i/len(fleetModes)%len(names)]
		if err := f.add(ctx, config, mode, name); err != nil {
			return nil, err
		}
	}
	for _, member := range f.members {
		if !cache.WaitForCacheSync(ctx.Done(), member.informer.HasSynced) {
			return nil, fmt.Errorf("a cache of %s was never filled", member.resource)
		}
	}
	return f.report, nil
}
