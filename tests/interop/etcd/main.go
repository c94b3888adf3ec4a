// SPDX-License-Identifier: Apache-2.0

// The program etcd as its project builds it, made from its published modules.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() {
	etcdmain.Main(os.Args)
}
