/* SPDX-License-Identifier: Apache-2.0 */
/* listwatch.h -- includes all headers that a program needs.  Headers in listwatch/sys/ are for
 * programs that implement an allocator, a clock, a source or a store. */
#ifndef LISTWATCH_H
#define LISTWATCH_H

#include <listwatch/api.h>
#include <listwatch/async.h>
#include <listwatch/client.h>
#include <listwatch/condition.h>
#include <listwatch/config.h>
#include <listwatch/document.h>
#include <listwatch/election.h>
#include <listwatch/error.h>
#include <listwatch/event.h>
#include <listwatch/factory.h>
#include <listwatch/field_selector.h>
#include <listwatch/finalizer.h>
#include <listwatch/gvk.h>
#include <listwatch/informer.h>
#include <listwatch/key.h>
#include <listwatch/label.h>
#include <listwatch/label_selector.h>
#include <listwatch/list_reader.h>
#include <listwatch/lister.h>
#include <listwatch/log.h>
#include <listwatch/manager.h>
#include <listwatch/manifest.h>
#include <listwatch/match.h>
#include <listwatch/object.h>
#include <listwatch/object_iter.h>
#include <listwatch/object_list.h>
#include <listwatch/owner.h>
#include <listwatch/printer.h>
#include <listwatch/quantity.h>
#include <listwatch/raw.h>
#include <listwatch/read_options.h>
#include <listwatch/reconciler.h>
#include <listwatch/recorder.h>
#include <listwatch/request_options.h>
#include <listwatch/retry.h>
#include <listwatch/stats.h>
#include <listwatch/str.h>
#include <listwatch/stream.h>
#include <listwatch/subresource.h>
#include <listwatch/time.h>
#include <listwatch/upsert.h>
#include <listwatch/version.h>
#include <listwatch/wait.h>
#include <listwatch/watch_event.h>
#include <listwatch/workqueue.h>

#endif
