// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math/rand"
	"reflect"
	"strings"
)

const deepest = 7 // levels of structs that are filled

// maker makes random documents of a type, and patches for them.
type maker struct {
	r *rand.Rand
}

func (m maker) chance(percent int) bool { return m.r.Intn(100) < percent }

func (m maker) word() string { return string(rune('a' + m.r.Intn(6))) }

// field is what JSON and patches see of a member of a struct.
type field struct {
	name, key string
	merges    bool
	typ       reflect.Type
}

func pointee(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

func fieldsOf(t reflect.Type) []field {
	var all []field
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if name == "" && f.Anonymous {
			all = append(all, fieldsOf(pointee(f.Type))...)
			continue
		}
		if name == "" {
			continue
		}
		all = append(all, field{name, f.Tag.Get("patchMergeKey"),
			strings.Contains(f.Tag.Get("patchStrategy"), "merge"), pointee(f.Type)})
	}
	return all
}

// opaque: a struct that is a plain value in JSON, or any JSON at all.
func opaque(t reflect.Type) bool {
	switch t.Name() {
	case "Time", "MicroTime", "Quantity", "IntOrString", "FieldsV1", "RawExtension":
		return true
	}
	return false
}

func isStruct(t reflect.Type) bool { return t.Kind() == reflect.Struct && !opaque(t) }

// some of the fields, those that merge before all.
func (m maker) some(t reflect.Type, depth int) []field {
	var chosen []field
	all := fieldsOf(t)
	for _, f := range all {
		percent := 300 / (len(all) + 3)
		if f.merges || f.name == "spec" || f.name == "metadata" || f.name == "template" {
			percent = 75
		} else if f.typ.Kind() == reflect.Map || f.name == "strategy" {
			percent = 45
		}
		if depth > deepest && (isStruct(f.typ) || f.typ.Kind() == reflect.Slice) {
			continue
		}
		if m.chance(percent) {
			chosen = append(chosen, f)
		}
	}
	return chosen
}

func (m maker) plain(t reflect.Type) any {
	switch t.Kind() {
	case reflect.Bool:
		return m.chance(50)
	case reflect.Int32, reflect.Int64, reflect.Int, reflect.Uint8:
		return m.r.Intn(5)
	}
	return m.word()
}

func (m maker) value(f field, depth int) any {
	switch {
	case isStruct(f.typ):
		return m.structure(f.typ, depth+1)
	case f.typ.Kind() == reflect.Slice && f.typ.Elem().Kind() != reflect.Uint8:
		return m.list(f, depth)
	case f.typ.Kind() == reflect.Map:
		entries := map[string]any{m.word(): m.word()}
		for m.chance(50) {
			entries[m.word()] = m.word()
		}
		return entries
	}
	return m.plain(f.typ)
}

func (m maker) structure(t reflect.Type, depth int) map[string]any {
	object := map[string]any{}
	for _, f := range m.some(t, depth) {
		object[f.name] = m.value(f, depth)
	}
	return object
}

func keyType(element reflect.Type, key string) reflect.Type {
	for _, f := range fieldsOf(element) {
		if f.name == key {
			return f.typ
		}
	}
	return reflect.TypeOf("")
}

// element of a list of structs; with its key if it has one.
func (m maker) element(f field, depth int) map[string]any {
	element := pointee(f.typ.Elem())
	object := m.structure(element, depth+1)
	if f.key != "" {
		object[f.key] = m.plain(keyType(element, f.key))
	}
	return object
}

// list of a document: not empty, plain values once, keys mostly so.
func (m maker) list(f field, depth int) []any {
	element := pointee(f.typ.Elem())
	seen := map[any]bool{}
	list := []any{}
	for i := 0; i < 4 && (i == 0 || m.chance(70)); i++ {
		if !isStruct(element) {
			value := m.plain(element)
			if !seen[value] {
				list = append(list, value)
			}
			seen[value] = true
			continue
		}
		object := m.element(f, depth)
		if f.key == "" || !seen[object[f.key]] || m.chance(5) {
			list = append(list, object)
		}
		if f.key != "" {
			seen[object[f.key]] = true
		}
	}
	return list
}

// tree is any JSON object; nulls stand in objects alone, and only if asked for.
func (m maker) tree(depth int, nulls bool) map[string]any {
	object := map[string]any{}
	for m.chance(70) {
		name := m.word()
		switch pick := m.r.Intn(6); {
		case pick == 0 && nulls:
			object[name] = nil
		case pick <= 2 && depth > 0:
			object[name] = m.tree(depth-1, nulls)
		case pick == 3:
			object[name] = []any{m.word(), m.r.Intn(3)}
		default:
			object[name] = m.word()
		}
	}
	return object
}
