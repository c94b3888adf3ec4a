// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// images has every image that was pulled; every image can be.
type images struct {
	cri.UnimplementedImageServiceServer
	folder string

	mutex  sync.Mutex
	pulled map[string]*cri.Image
}

func (i *images) ListImages(context.Context, *cri.ListImagesRequest) (*cri.ListImagesResponse, error) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	return &cri.ListImagesResponse{Images: slices.Collect(maps.Values(i.pulled))}, nil
}

func (i *images) ImageStatus(_ context.Context, request *cri.ImageStatusRequest) (*cri.ImageStatusResponse, error) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	return &cri.ImageStatusResponse{Image: i.pulled[request.Image.Image]}, nil
}

func (i *images) PullImage(_ context.Context, request *cri.PullImageRequest) (*cri.PullImageResponse, error) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	name := request.Image.Image
	id := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(name)))
	i.pulled[name] = &cri.Image{Id: id, RepoTags: []string{name}, RepoDigests: []string{name + "@" + id},
		Size: 1, Spec: request.Image}
	i.pulled[id] = i.pulled[name]
	return &cri.PullImageResponse{ImageRef: id}, nil
}

func (i *images) RemoveImage(_ context.Context, request *cri.RemoveImageRequest) (*cri.RemoveImageResponse, error) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	delete(i.pulled, request.Image.Image)
	return &cri.RemoveImageResponse{}, nil
}

func (i *images) ImageFsInfo(context.Context, *cri.ImageFsInfoRequest) (*cri.ImageFsInfoResponse, error) {
	usage := []*cri.FilesystemUsage{{Timestamp: time.Now().UnixNano(),
		FsId:      &cri.FilesystemIdentifier{Mountpoint: i.folder},
		UsedBytes: &cri.UInt64Value{Value: 1}, InodesUsed: &cri.UInt64Value{Value: 1}}}
	return &cri.ImageFsInfoResponse{ImageFilesystems: usage, ContainerFilesystems: usage}, nil
}
