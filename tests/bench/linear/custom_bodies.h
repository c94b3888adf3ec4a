/* SPDX-License-Identifier: Apache-2.0 */
/* custom_bodies.h -- bodies of custom resources, definitions and services, and YAML. */
#ifndef LW_BENCH_LINEAR_CUSTOM_BODIES_H
#define LW_BENCH_LINEAR_CUSTOM_BODIES_H

#include "bench/linear/linear.h"

void run_custom(linear *run);

#endif
