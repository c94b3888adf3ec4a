// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
)

// The place on this machine of a file in a container's volumes; empty: it is in none.
func (c *container) place(file string) string {
	best := ""
	place := ""
	for _, mount := range c.config.Mounts {
		rest, isBelow := strings.CutPrefix(file, strings.TrimSuffix(mount.ContainerPath, "/"))
		if isBelow && (rest == "" || rest[0] == '/') && len(mount.ContainerPath) > len(best) {
			best, place = mount.ContainerPath, filepath.Join(mount.HostPath, rest)
		}
	}
	return place
}

// Runs a command as in a container; its exit code.
//
//	cat            copies its input
//	cat FILE       prints a file of a volume
//	test -e FILE   whether a file is in a volume
//	echo WORD...   prints words
func (c *container) command(words []string, in io.Reader, out, errors io.Writer) int {
	switch {
	case len(words) == 1 && words[0] == "cat" && in != nil:
		io.Copy(out, in)
		return 0
	case len(words) == 2 && words[0] == "cat":
		text, err := os.ReadFile(c.place(words[1]))
		if err != nil {
			fmt.Fprintf(errors, "cat: %s: %v\n", words[1], err)
			return 1
		}
		out.Write(text)
		return 0
	case len(words) == 3 && words[0] == "test" && words[1] == "-e":
		if _, err := os.Stat(c.place(words[2])); err != nil {
			return 1
		}
		return 0
	case len(words) > 0 && words[0] == "echo":
		fmt.Fprintln(out, strings.Join(words[1:], " "))
		return 0
	}
	fmt.Fprintf(errors, "no such command: %q\n", words)
	return 127
}

func (r *runtime) ExecSync(_ context.Context, request *cri.ExecSyncRequest) (*cri.ExecSyncResponse, error) {
	c, err := r.container(request.ContainerId)
	if err != nil {
		return nil, err
	}
	var out, errors strings.Builder
	code := c.command(request.Cmd, nil, &out, &errors)
	return &cri.ExecSyncResponse{Stdout: []byte(out.String()), Stderr: []byte(errors.String()),
		ExitCode: int32(code)}, nil
}

func (r *runtime) Exec(_ context.Context, request *cri.ExecRequest) (*cri.ExecResponse, error) {
	return r.streams.GetExec(request)
}

func (r *runtime) Attach(_ context.Context, request *cri.AttachRequest) (*cri.AttachResponse, error) {
	return r.streams.GetAttach(request)
}

func (r *runtime) PortForward(_ context.Context, request *cri.PortForwardRequest) (*cri.PortForwardResponse, error) {
	return r.streams.GetPortForward(request)
}

// What the streaming server asks for when a client has connected.
type streams struct{ runtime *runtime }

func (s streams) Exec(_ context.Context, id string, words []string, in io.Reader, out, errors io.WriteCloser,
	_ bool, _ <-chan remotecommand.TerminalSize) error {
	c, err := s.runtime.container(id)
	if err != nil {
		return err
	}
	if errors == nil { // a terminal has one stream
		errors = out
	}
	if code := c.command(words, in, out, errors); code != 0 {
		return &utilexec.CodeExitError{Err: fmt.Errorf("exit code %d", code), Code: code}
	}
	return nil
}

func (s streams) Attach(_ context.Context, id string, in io.Reader, out, errors io.WriteCloser,
	_ bool, _ <-chan remotecommand.TerminalSize) error {
	c, err := s.runtime.container(id)
	if err != nil {
		return err
	}
	c.command([]string{"echo", "attached to", c.config.Metadata.Name}, in, out, errors)
	return nil
}

// Every port sends back what it gets.
func (s streams) PortForward(_ context.Context, _ string, _ int32, stream io.ReadWriteCloser) error {
	_, err := io.Copy(stream, stream)
	return err
}
