// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// copier keeps a Secret beside each ConfigMap that asks for one: same name, same data.
type copier struct {
	client client.Client
}

func (c *copier) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var source corev1.ConfigMap
	if err := c.client.Get(ctx, request.NamespacedName, &source); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if source.Labels["copy"] != "wanted" || source.DeletionTimestamp != nil {
		return ctrl.Result{}, nil
	}
	made := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: source.Namespace, Name: source.Name}}
	_, err := controllerutil.CreateOrUpdate(ctx, c.client, made, func() error {
		made.Data = map[string][]byte{}
		for key, text := range source.Data {
			made.Data[key] = []byte(text)
		}
		return controllerutil.SetControllerReference(&source, made, scheme.Scheme)
	})
	return ctrl.Result{}, err
}

// startManager runs the copier under leader election; what is held are the Secrets in its cache.
func startManager(ctx context.Context, config *rest.Config) (held, error) {
	log.SetLogger(zap.New())
	manager, err := ctrl.NewManager(config, ctrl.Options{
		LeaderElection:          true,
		LeaderElectionID:        "copier",
		LeaderElectionNamespace: "default",
		Metrics:                 server.Options{BindAddress: "0"},
	})
	if err != nil {
		return nil, err
	}
	err = ctrl.NewControllerManagedBy(manager).For(&corev1.ConfigMap{}).Owns(&corev1.Secret{}).
		Complete(&copier{manager.GetClient()})
	if err != nil {
		return nil, err
	}
	go func() {
		if err := manager.Start(ctx); err != nil {
			fail(err)
		}
	}()
	if !manager.GetCache().WaitForCacheSync(ctx) {
		return nil, fmt.Errorf("the manager's cache was never filled")
	}
	return func() (any, error) {
		found := map[string]string{}
		var secrets corev1.SecretList
		if err := manager.GetClient().List(ctx, &secrets); err != nil {
			return nil, err
		}
		for i := range secrets.Items {
			if err := note(found, &secrets.Items[i]); err != nil {
				return nil, err
			}
		}
		return found, nil
	}, nil
}
