// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/cri-streaming/pkg/streaming"
)

// A sandbox is a pod to the runtime.
type sandbox struct {
	status *cri.PodSandboxStatus
	config *cri.PodSandboxConfig
}

type container struct {
	sandbox string
	status  *cri.ContainerStatus
	config  *cri.ContainerConfig
}

// runtime keeps what the kubelet has asked for.
type runtime struct {
	cri.UnimplementedRuntimeServiceServer
	streams streaming.Server

	mutex      sync.Mutex // of all that follows, and of what is in it
	made       int
	sandboxes  map[string]*sandbox
	containers map[string]*container
}

func (r *runtime) container(id string) (*container, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.containerLocked(id)
}

func (r *runtime) containerLocked(id string) (*container, error) {
	if found := r.containers[id]; found != nil {
		return found, nil
	}
	return nil, status.Errorf(codes.NotFound, "there is no container %s", id)
}

func (r *runtime) idLocked() string {
	r.made++
	return fmt.Sprintf("%064x", r.made)
}

// The address of the pod that is number |made|.
func address(made int) string {
	start := netip.MustParseAddr("10.128.1.0").As4()
	start[2], start[3] = start[2]+byte(made>>8), byte(made)
	return netip.AddrFrom4(start).String()
}

func (r *runtime) Version(context.Context, *cri.VersionRequest) (*cri.VersionResponse, error) {
	return &cri.VersionResponse{Version: "0.1.0", RuntimeName: "stub", RuntimeVersion: "1.0.0",
		RuntimeApiVersion: "v1"}, nil
}

func (r *runtime) Status(context.Context, *cri.StatusRequest) (*cri.StatusResponse, error) {
	return &cri.StatusResponse{
		Status: &cri.RuntimeStatus{Conditions: []*cri.RuntimeCondition{
			{Type: cri.RuntimeReady, Status: true}, {Type: cri.NetworkReady, Status: true}}},
		RuntimeHandlers: []*cri.RuntimeHandler{{Name: "", Features: &cri.RuntimeHandlerFeatures{}}},
	}, nil
}

func (r *runtime) RuntimeConfig(context.Context, *cri.RuntimeConfigRequest) (*cri.RuntimeConfigResponse, error) {
	return &cri.RuntimeConfigResponse{Linux: &cri.LinuxRuntimeConfiguration{
		CgroupDriver: cri.CgroupDriver_CGROUPFS}}, nil
}

func (r *runtime) UpdateRuntimeConfig(context.Context, *cri.UpdateRuntimeConfigRequest) (*cri.UpdateRuntimeConfigResponse, error) {
	return &cri.UpdateRuntimeConfigResponse{}, nil
}

func (r *runtime) RunPodSandbox(_ context.Context, request *cri.RunPodSandboxRequest) (*cri.RunPodSandboxResponse, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	config := request.Config
	id := r.idLocked()
	r.sandboxes[id] = &sandbox{config: config, status: &cri.PodSandboxStatus{
		Id: id, Metadata: config.Metadata, State: cri.PodSandboxState_SANDBOX_READY,
		CreatedAt: time.Now().UnixNano(), Network: &cri.PodSandboxNetworkStatus{Ip: address(r.made)},
		Linux: &cri.LinuxPodSandboxStatus{Namespaces: &cri.Namespace{
			Options: config.GetLinux().GetSecurityContext().GetNamespaceOptions()}},
		Labels: config.Labels, Annotations: config.Annotations, RuntimeHandler: request.RuntimeHandler,
	}}
	return &cri.RunPodSandboxResponse{PodSandboxId: id}, nil
}

func (r *runtime) StopPodSandbox(_ context.Context, request *cri.StopPodSandboxRequest) (*cri.StopPodSandboxResponse, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if found := r.sandboxes[request.PodSandboxId]; found != nil {
		found.status.State = cri.PodSandboxState_SANDBOX_NOTREADY
	}
	for _, c := range r.containers {
		if c.sandbox == request.PodSandboxId {
			c.endLocked(137)
		}
	}
	return &cri.StopPodSandboxResponse{}, nil
}

func (r *runtime) RemovePodSandbox(_ context.Context, request *cri.RemovePodSandboxRequest) (*cri.RemovePodSandboxResponse, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for id, c := range r.containers {
		if c.sandbox == request.PodSandboxId {
			delete(r.containers, id)
		}
	}
	delete(r.sandboxes, request.PodSandboxId)
	return &cri.RemovePodSandboxResponse{}, nil
}

func (r *runtime) PodSandboxStatus(_ context.Context, request *cri.PodSandboxStatusRequest) (*cri.PodSandboxStatusResponse, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	found := r.sandboxes[request.PodSandboxId]
	if found == nil {
		return nil, status.Errorf(codes.NotFound, "there is no pod sandbox %s", request.PodSandboxId)
	}
	return &cri.PodSandboxStatusResponse{Status: copyOf(found.status)}, nil
}

func (r *runtime) ListPodSandbox(_ context.Context, request *cri.ListPodSandboxRequest) (*cri.ListPodSandboxResponse, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	reply := &cri.ListPodSandboxResponse{}
	filter := request.Filter
	for id, s := range r.sandboxes {
		if isChosen(filter, id, s.status.Labels) &&
			(filter.GetState() == nil || filter.GetState().State == s.status.State) {
			reply.Items = append(reply.Items, &cri.PodSandbox{Id: id, Metadata: s.status.Metadata,
				State: s.status.State, CreatedAt: s.status.CreatedAt, Labels: s.status.Labels,
				Annotations: s.status.Annotations, RuntimeHandler: s.status.RuntimeHandler})
		}
	}
	return reply, nil
}

func (r *runtime) CreateContainer(_ context.Context, request *cri.CreateContainerRequest) (*cri.CreateContainerResponse, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	found, config := r.sandboxes[request.PodSandboxId], request.Config
	if found == nil {
		return nil, status.Errorf(codes.NotFound, "there is no pod sandbox %s", request.PodSandboxId)
	}
	id := r.idLocked()
	r.containers[id] = &container{sandbox: request.PodSandboxId, config: config, status: &cri.ContainerStatus{
		Id: id, Metadata: config.Metadata, State: cri.ContainerState_CONTAINER_CREATED,
		CreatedAt: time.Now().UnixNano(), ImageRef: config.Image.Image,
		Image:   &cri.ImageSpec{Image: config.Image.UserSpecifiedImage},
		ImageId: config.Image.Image, Labels: config.Labels, Annotations: config.Annotations,
		Mounts: config.Mounts, LogPath: filepath.Join(found.config.LogDirectory, config.LogPath)}}
	return &cri.CreateContainerResponse{ContainerId: id}, nil
}

func (r *runtime) StartContainer(_ context.Context, request *cri.StartContainerRequest) (*cri.StartContainerResponse, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	c, err := r.containerLocked(request.ContainerId)
	if err != nil {
		return nil, err
	}
	c.status.State, c.status.StartedAt = cri.ContainerState_CONTAINER_RUNNING, time.Now().UnixNano()
	words := append(append([]string{}, c.config.Command...), c.config.Args...)
	if err := c.print(strings.Join(words, " ")); err != nil {
		return nil, err
	}
	if len(words) == 2 && words[0] == "exit" {
		code, err := strconv.Atoi(words[1])
		if err != nil {
			return nil, err
		}
		c.endLocked(code)
	}
	return &cri.StartContainerResponse{}, nil
}

// Adds a line to the container's log.
func (c *container) print(line string) error {
	file, err := os.OpenFile(c.status.LogPath, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = fmt.Fprintf(file, "%s stdout F %s\n", time.Now().UTC().Format(time.RFC3339Nano), line)
	return err
}

func (c *container) endLocked(code int) {
	if c.status.State != cri.ContainerState_CONTAINER_RUNNING {
		return
	}
	c.status.State, c.status.FinishedAt = cri.ContainerState_CONTAINER_EXITED, time.Now().UnixNano()
	c.status.ExitCode, c.status.Reason = int32(code), "Completed"
	if code != 0 {
		c.status.Reason = "Error"
	}
}

func (r *runtime) StopContainer(_ context.Context, request *cri.StopContainerRequest) (*cri.StopContainerResponse, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if c := r.containers[request.ContainerId]; c != nil {
		c.endLocked(0)
	}
	return &cri.StopContainerResponse{}, nil
}

func (r *runtime) RemoveContainer(_ context.Context, request *cri.RemoveContainerRequest) (*cri.RemoveContainerResponse, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	delete(r.containers, request.ContainerId)
	return &cri.RemoveContainerResponse{}, nil
}

func (r *runtime) ListContainers(_ context.Context, request *cri.ListContainersRequest) (*cri.ListContainersResponse, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	reply := &cri.ListContainersResponse{}
	filter := request.Filter
	for id, c := range r.containers {
		if isChosen(filter, id, c.status.Labels) &&
			(filter.GetPodSandboxId() == "" || filter.GetPodSandboxId() == c.sandbox) &&
			(filter.GetState() == nil || filter.GetState().State == c.status.State) {
			reply.Containers = append(reply.Containers, &cri.Container{Id: id, PodSandboxId: c.sandbox,
				Metadata: c.status.Metadata, Image: c.status.Image, ImageRef: c.status.ImageRef,
				ImageId: c.status.ImageId, State: c.status.State, CreatedAt: c.status.CreatedAt,
				Labels: c.status.Labels, Annotations: c.status.Annotations})
		}
	}
	return reply, nil
}

func (r *runtime) ContainerStatus(_ context.Context, request *cri.ContainerStatusRequest) (*cri.ContainerStatusResponse, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	c, err := r.containerLocked(request.ContainerId)
	if err != nil {
		return nil, err
	}
	return &cri.ContainerStatusResponse{Status: copyOf(c.status)}, nil
}

func (r *runtime) UpdateContainerResources(context.Context, *cri.UpdateContainerResourcesRequest) (*cri.UpdateContainerResourcesResponse, error) {
	return &cri.UpdateContainerResourcesResponse{}, nil
}

func (r *runtime) ReopenContainerLog(context.Context, *cri.ReopenContainerLogRequest) (*cri.ReopenContainerLogResponse, error) {
	return &cri.ReopenContainerLogResponse{}, nil
}

// Containers that do not run use nothing.
func (r *runtime) ListContainerStats(context.Context, *cri.ListContainerStatsRequest) (*cri.ListContainerStatsResponse, error) {
	return &cri.ListContainerStatsResponse{}, nil
}

func (r *runtime) ListPodSandboxStats(context.Context, *cri.ListPodSandboxStatsRequest) (*cri.ListPodSandboxStatsResponse, error) {
	return &cri.ListPodSandboxStatsResponse{}, nil
}

// What is sent must not change while it is encoded.
func copyOf[M proto.Message](message M) M {
	return proto.Clone(message).(M)
}

func hasLabels(labels, wanted map[string]string) bool {
	for key, value := range wanted {
		if labels[key] != value {
			return false
		}
	}
	return true
}

// isChosen says whether the filter of a list takes something of that id, with those labels.
func isChosen(filter interface {
	GetId() string
	GetLabelSelector() map[string]string
}, id string, labels map[string]string) bool {
	return (filter.GetId() == "" || filter.GetId() == id) && hasLabels(labels, filter.GetLabelSelector())
}
