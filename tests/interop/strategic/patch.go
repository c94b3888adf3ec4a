// SPDX-License-Identifier: Apache-2.0

package main

import (
	"reflect"
)

// odd is a value that fits nowhere.
func (m maker) odd() any {
	return []any{"x", 7, true, nil, []any{}, []any{"x"}, []any{nil}, []any{[]any{}},
		map[string]any{}, map[string]any{"$patch": "x"}, 1.5}[m.r.Intn(11)]
}

func (m maker) mapPatch(current any) map[string]any {
	patch := map[string]any{}
	for m.chance(60) {
		patch[m.word()] = []any{m.word(), nil}[m.r.Intn(2)]
	}
	m.mark(patch)
	return patch
}

// mark puts a directive for the whole map into a few.
func (m maker) mark(patch map[string]any) {
	if m.chance(4) {
		patch["$patch"] = []any{"replace", "delete", "merge", nil, 1}[m.r.Intn(5)]
	}
}

func (m maker) structurePatch(t reflect.Type, current map[string]any, depth int) map[string]any {
	patch := map[string]any{}
	for _, f := range m.some(t, depth) {
		there, found := current[f.name]
		switch {
		case m.chance(1):
			patch[f.name] = m.odd()
		case m.chance(8):
			patch[f.name] = nil
		case !found && m.chance(50):
			patch[f.name] = m.value(f, depth)
		case isStruct(f.typ):
			inner, _ := there.(map[string]any)
			patch[f.name] = m.structurePatch(f.typ, inner, depth+1)
		case f.typ.Kind() == reflect.Map:
			patch[f.name] = m.mapPatch(there)
		case f.typ.Kind() == reflect.Slice && f.typ.Elem().Kind() != reflect.Uint8:
			list, _ := there.([]any)
			m.listPatch(f, list, patch, depth)
		default:
			patch[f.name] = m.plain(f.typ)
		}
	}
	if depth > 0 {
		m.mark(patch)
		m.retain(patch, current)
	}
	return patch
}

// retain adds $retainKeys, mostly with all that the patch sets.
func (m maker) retain(patch, current map[string]any) {
	if !m.chance(8) {
		return
	}
	keys := []any{}
	for name := range patch {
		if m.chance(97) {
			keys = append(keys, name)
		}
	}
	for name := range current {
		if m.chance(50) {
			keys = append(keys, name)
		}
	}
	patch["$retainKeys"] = keys
	if m.chance(3) {
		patch["$retainKeys"] = m.odd()
	}
}

// listPatch puts a list into the patch, its order, and what leaves it.
func (m maker) listPatch(f field, current []any, patch map[string]any, depth int) {
	element := pointee(f.typ.Elem())
	if !isStruct(element) {
		m.plainListPatch(f, element, current, patch)
		return
	}
	list := []any{}
	for _, there := range current {
		object, isMap := there.(map[string]any)
		if !isMap || m.chance(50) {
			continue
		}
		change := m.structurePatch(element, object, depth+1)
		delete(change, "$patch")
		if f.key != "" {
			change[f.key] = object[f.key]
		}
		if names, ok := change["$retainKeys"].([]any); ok && f.key != "" {
			change["$retainKeys"] = append(names, f.key)
		}
		if m.chance(25) {
			change = map[string]any{"$patch": "delete", f.key: object[f.key]}
		}
		list = append(list, change)
	}
	for m.chance(40) {
		list = append(list, m.element(f, depth))
	}
	if m.chance(5) {
		list = append(list, map[string]any{"$patch": []any{"replace", "merge", "x"}[m.r.Intn(3)]})
	}
	if m.chance(2) {
		list = append(list, m.odd())
	}
	if m.chance(3) {
		list = append(list, map[string]any{"odd": 1})
	}
	m.r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	if m.chance(90) {
		patch[f.name] = list
	}
	if m.chance(40) && f.key != "" {
		patch["$setElementOrder/"+f.name] = m.order(f, current, list)
	}
}

// order names what the list has, in its order, and some of what is there.
func (m maker) order(f field, current, list []any) []any {
	order := []any{}
	for _, there := range current {
		if object, isMap := there.(map[string]any); isMap && m.chance(40) {
			order = append(order, map[string]any{f.key: object[f.key]})
		}
	}
	m.r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for _, change := range list {
		object, isMap := change.(map[string]any)
		if !isMap {
			continue
		}
		if _, marked := object["$patch"]; !marked && m.chance(97) {
			at := m.r.Intn(len(order) + 1)
			if m.chance(80) {
				at = len(order)
			}
			rest := append([]any{map[string]any{f.key: object[f.key]}}, order[at:]...)
			order = append(order[:at:at], rest...)
		}
	}
	if len(order) == 0 { // Go's sort has no order for these
		order = append(order, map[string]any{f.key: "nobody"})
	}
	if m.chance(2) {
		order = append(order, m.odd())
	}
	return order
}

func (m maker) plainListPatch(f field, element reflect.Type, current []any, patch map[string]any) {
	seen := map[any]bool{}
	list, leaving := []any{}, []any{}
	for i := 0; i < 4 && m.chance(60); i++ {
		value := m.plain(element)
		if !seen[value] && m.chance(30) {
			leaving = append(leaving, value)
		} else if !seen[value] {
			list = append(list, value)
		}
		seen[value] = true
	}
	if m.chance(3) {
		list = append(list, m.odd())
	}
	if m.chance(80) {
		patch[f.name] = list
	}
	if len(leaving) > 0 && f.merges {
		patch["$deleteFromPrimitiveList/"+f.name] = leaving
	}
	if m.chance(30) && f.merges {
		order := append([]any{}, list...)
		for _, value := range current {
			if !seen[value] && m.chance(50) {
				order = append([]any{value}, order...)
			}
		}
		if len(order) == 0 {
			order = append(order, "nobody")
		}
		patch["$setElementOrder/"+f.name] = order
	}
}
