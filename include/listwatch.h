/* SPDX-License-Identifier: Apache-2.0 */
/* listwatch.h -- everything a program needs.  Headers below listwatch/sys/ are for people who write
 * an allocator, a clock, a source or a store. */
#ifndef LISTWATCH_H
#define LISTWATCH_H

#include <listwatch/api.h>
#include <listwatch/error.h>
#include <listwatch/field_selector.h>
#include <listwatch/gvk.h>
#include <listwatch/key.h>
#include <listwatch/label.h>
#include <listwatch/label_selector.h>
#include <listwatch/str.h>
#include <listwatch/version.h>

#endif
