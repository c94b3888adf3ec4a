// SPDX-License-Identifier: Apache-2.0
// server_test.go -- tests in Go with an API server of their own.
//
//	go test server_test.go     needs the program listwatch in $PATH, or its path in $LISTWATCH
package server_test

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// startServer starts a server in memory on free ports and stops it when the test ends.
// client-go takes the kubeconfig: clientcmd.BuildConfigFromFlags("", kubeconfig).
func startServer(t *testing.T) (url, kubeconfig string) {
	t.Helper()
	program := os.Getenv("LISTWATCH")
	if program == "" {
		program = "listwatch"
	}
	kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	server := exec.Command(program, "serve", "--memory", "--listen", "127.0.0.1:0",
		"--insecure-listen", "127.0.0.1:0", "--kubeconfig", kubeconfig)
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Signal(os.Interrupt)
		server.Wait()
	})
	line, _ := bufio.NewReader(out).ReadString('\n')
	words := strings.Fields(line) // ready: https://127.0.0.1:P http://127.0.0.1:Q
	if len(words) != 3 || words[0] != "ready:" {
		t.Fatalf("%s serve did not start: %q", program, line)
	}
	return words[2], kubeconfig
}

func TestAConfigMapIsThereAfterItWasCreated(t *testing.T) {
	url, _ := startServer(t)
	url += "/api/v1/namespaces/default/configmaps"
	made, err := http.Post(url, "application/json",
		strings.NewReader(`{"metadata":{"name":"settings"},"data":{"theme":"dark"}}`))
	if err != nil {
		t.Fatal(err)
	}
	made.Body.Close()
	if made.StatusCode != http.StatusCreated {
		t.Fatalf("create: %s", made.Status)
	}
	found, err := http.Get(url + "/settings")
	if err != nil {
		t.Fatal(err)
	}
	found.Body.Close()
	if found.StatusCode != http.StatusOK {
		t.Fatalf("get: %s", found.Status)
	}
}
