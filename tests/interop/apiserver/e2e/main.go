// SPDX-License-Identifier: Apache-2.0

// The API machinery and auth parts of Kubernetes' end-to-end suite as a program: its specs and its framework
// from the published modules, without the suites that need kubelets, storage or clouds.
package main

import (
	"context"
	"flag"
	"os"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"k8s.io/component-base/logs"
	"k8s.io/kubernetes/test/e2e/framework"
	"k8s.io/kubernetes/test/e2e/framework/config"
	e2enode "k8s.io/kubernetes/test/e2e/framework/node"

	_ "k8s.io/kubernetes/test/e2e/apimachinery"
	_ "k8s.io/kubernetes/test/e2e/auth"
	_ "k8s.io/kubernetes/test/e2e/feature"
	_ "k8s.io/kubernetes/test/e2e/framework/node/init"
)

// verdict is what ginkgo tells when a spec has failed; the real suite uses *testing.T for it.
type verdict struct{ failed bool }

func (v *verdict) Fail() { v.failed = true }

// The suite begins only when the nodes can take Pods, and knows how many there are.
var _ = ginkgo.BeforeSuite(func(ctx context.Context) {
	client, err := framework.LoadClientset()
	framework.ExpectNoError(err, "no client from the kubeconfig")
	timeouts := framework.NewTimeoutContext()
	framework.ExpectNoError(e2enode.WaitForAllNodesSchedulable(ctx, client, timeouts.NodeSchedulable))
	nodes, err := e2enode.GetReadySchedulableNodes(ctx, client)
	framework.ExpectNoError(err)
	framework.TestContext.CloudConfig.NumNodes = len(nodes.Items)
	framework.TestContext.IPFamily = "ipv4"
})

func main() {
	config.CopyFlags(config.Flags, flag.CommandLine)
	framework.RegisterCommonFlags(flag.CommandLine)
	framework.RegisterClusterFlags(flag.CommandLine)
	flag.Parse()
	framework.AfterReadingAllFlags(&framework.TestContext)

	logs.InitLogs()
	defer logs.FlushLogs()
	gomega.RegisterFailHandler(framework.Fail)
	suite, reporter := framework.CreateGinkgoConfig()
	var outcome verdict
	passed := ginkgo.RunSpecs(&outcome, "API machinery of Kubernetes", suite, reporter)
	if !passed || outcome.failed {
		os.Exit(1)
	}
}
