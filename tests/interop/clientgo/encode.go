// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

func get(url string) io.ReadCloser {
	reply, err := http.Get(url)
	if err != nil {
		fail(err)
	}
	return reply.Body
}

// encode fetches what the source has in JSON and writes it as a server would send it in protobuf.
func encode(what, url string, count int64, name string) {
	file, err := os.Create(name)
	if err != nil {
		fail(err)
	}
	out := bufio.NewWriterSize(file, 1<<20)
	if what == "list" {
		encodeList(url, out)
	} else {
		encodeEvents(url, count, out)
	}
	if err := out.Flush(); err != nil {
		fail(err)
	}
	if err := file.Close(); err != nil {
		fail(err)
	}
	fmt.Println("encoded=1")
}

func encodeList(url string, out io.Writer) {
	body := get(url + "/api/v1/pods")
	defer body.Close()
	var list corev1.PodList
	if err := json.NewDecoder(body).Decode(&list); err != nil {
		fail(err)
	}
	serializer := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
	if err := serializer.Encode(&list, out); err != nil {
		fail(err)
	}
}

func encodeEvents(url string, count int64, out io.Writer) {
	body := get(url + "/api/v1/pods?watch=1")
	defer body.Close()
	serializer := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
	raw := protobuf.NewRawSerializer(scheme.Scheme, scheme.Scheme)
	framer := protobuf.LengthDelimitedFramer.NewFrameWriter(out)
	decoder := json.NewDecoder(bufio.NewReaderSize(body, 1<<20))
	for i := int64(0); i < count; i++ {
		var event struct {
			Type   string
			Object corev1.Pod
		}
		if err := decoder.Decode(&event); err != nil {
			fail(err)
		}
		object, err := runtime.Encode(serializer, &event.Object)
		if err != nil {
			fail(err)
		}
		frame := metav1.WatchEvent{Type: event.Type, Object: runtime.RawExtension{Raw: object}}
		if err := raw.Encode(&frame, framer); err != nil {
			fail(err)
		}
	}
}
