/* SPDX-License-Identifier: Apache-2.0 */
/* ledger_parts.h -- what the two files of ledger.h share. */
#ifndef LW_CONTROL_LEDGER_PARTS_H
#define LW_CONTROL_LEDGER_PARTS_H

#include "ledger.h"

/* The record of the node |name|, made where there is none; NULL: out of memory. */
lw_node_record *lw_ledger__node(lw_ledger *ledger, lw_str name);

/* Frees |node| if it is not there and no pod is on it. */
void lw_ledger__drop_idle_node(lw_ledger *ledger, lw_node_record *node);

#endif
