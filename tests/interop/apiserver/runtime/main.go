// SPDX-License-Identifier: Apache-2.0

// stub-runtime is a container runtime for a kubelet whose containers are not run: it keeps what the
// kubelet has asked for and says that it is so.
//
//	stub-runtime FOLDER ADDRESS     listens on FOLDER/runtime.sock, streams on a port of ADDRESS
//
// Pods get addresses from 10.128.1.1 on.  A container prints its command as its log, and runs until it
// is stopped; with the command "exit N" it ends at once.  Commands inside containers are in commands.go.
package main

import (
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"

	"google.golang.org/grpc"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/cri-streaming/pkg/streaming"
)

func run(folder, address string) error {
	socket, err := net.Listen("unix", filepath.Join(folder, "runtime.sock"))
	if err != nil {
		return err
	}
	port, err := net.Listen("tcp", address+":0")
	if err != nil {
		return err
	}
	runtime := &runtime{sandboxes: map[string]*sandbox{}, containers: map[string]*container{}}
	config := streaming.DefaultConfig
	config.Addr = port.Addr().String()
	port.Close()
	if runtime.streams, err = streaming.NewServer(config, streams{runtime: runtime}); err != nil {
		return err
	}
	failed := make(chan error, 2)
	go func() { failed <- runtime.streams.Start(true) }()
	server := grpc.NewServer()
	cri.RegisterRuntimeServiceServer(server, runtime)
	cri.RegisterImageServiceServer(server, &images{folder: folder, pulled: map[string]*cri.Image{}})
	go func() { failed <- server.Serve(socket) }()
	fmt.Println("ready")
	return <-failed
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: stub-runtime FOLDER ADDRESS")
	}
	log.Fatal(run(os.Args[1], os.Args[2]))
}
