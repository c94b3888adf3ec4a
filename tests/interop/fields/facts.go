// SPDX-License-Identifier: Apache-2.0

// facts.go -- what the Go sources of the Kubernetes API say about its types, as JSON.
//
//	go run facts.go FOLDER...        one folder a package; prints {"FOLDER": package, ...}
//
// Reads the sources as text, so that nothing of Kubernetes has to be compiled.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// Field is a field of a struct, with its tags and the markers in its comment.
type Field struct {
	Name     string              `json:"name"`
	Embedded bool                `json:"embedded"`
	Type     string              `json:"type"`
	Tags     map[string]string   `json:"tags"`
	Markers  map[string][]string `json:"markers"`
}

// Struct is a type with fields; its markers stand in the comment before it.
type Struct struct {
	Fields  []Field             `json:"fields"`
	Markers map[string][]string `json:"markers"`
}

// Package has the structs of one folder, and what its other types stand for.
type Package struct {
	Structs map[string]Struct `json:"structs"`
	Named   map[string]string `json:"named"`
	Imports map[string]string `json:"imports"`
	Values  map[string]string `json:"values"` // constants that are literals
}

// markers gathers the lines "+name=value" of comments.
func markers(groups ...*ast.CommentGroup) map[string][]string {
	found := map[string][]string{}
	for _, group := range groups {
		if group == nil {
			continue
		}
		for _, line := range strings.Split(group.Text(), "\n") {
			text, ok := strings.CutPrefix(strings.TrimSpace(line), "+")
			if !ok {
				continue
			}
			name, value, _ := strings.Cut(text, "=")
			found[name] = append(found[name], strings.TrimSpace(value))
		}
	}
	return found
}

func text(files *token.FileSet, node ast.Expr) string {
	var out strings.Builder
	if err := printer.Fprint(&out, files, node); err != nil {
		panic(err)
	}
	return out.String()
}

func readStruct(files *token.FileSet, from *ast.StructType, comment map[string][]string) Struct {
	made := Struct{Fields: []Field{}, Markers: comment}
	for _, field := range from.Fields.List {
		tags := map[string]string{}
		if field.Tag != nil {
			raw, err := strconv.Unquote(field.Tag.Value)
			if err != nil {
				panic(err)
			}
			for _, key := range []string{"json", "protobuf", "patchStrategy", "patchMergeKey"} {
				if value, ok := reflect.StructTag(raw).Lookup(key); ok {
					tags[key] = value
				}
			}
		}
		one := Field{Type: text(files, field.Type), Tags: tags,
			Markers: markers(field.Doc, field.Comment)}
		if len(field.Names) == 0 {
			one.Embedded = true
			one.Name = one.Type[strings.LastIndexAny(one.Type, ".*")+1:]
			made.Fields = append(made.Fields, one)
		}
		for _, name := range field.Names {
			one.Name = name.Name
			made.Fields = append(made.Fields, one)
		}
	}
	return made
}

func readConstants(from *ast.ValueSpec, into *Package) {
	for i, value := range from.Values {
		if literal, ok := value.(*ast.BasicLit); ok {
			into.Values[from.Names[i].Name] = literal.Value
		}
	}
}

func readFile(files *token.FileSet, file *ast.File, into *Package) {
	for _, one := range file.Imports {
		path, _ := strconv.Unquote(one.Path.Value)
		name := path[strings.LastIndex(path, "/")+1:]
		if one.Name != nil {
			name = one.Name.Name
		}
		into.Imports[name] = path
	}
	for _, declared := range file.Decls {
		group, ok := declared.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range group.Specs {
			if values, ok := spec.(*ast.ValueSpec); ok && group.Tok == token.CONST {
				readConstants(values, into)
			}
			named, ok := spec.(*ast.TypeSpec)
			if !ok {
				continue
			}
			if from, ok := named.Type.(*ast.StructType); ok {
				into.Structs[named.Name.Name] =
					readStruct(files, from, markers(group.Doc, named.Doc))
			} else {
				into.Named[named.Name.Name] = text(files, named.Type)
			}
		}
	}
}

func main() {
	all := map[string]Package{}
	for _, folder := range os.Args[1:] {
		files := token.NewFileSet()
		made := Package{Structs: map[string]Struct{}, Named: map[string]string{},
			Imports: map[string]string{}, Values: map[string]string{}}
		sources, _ := filepath.Glob(filepath.Join(folder, "*.go"))
		for _, name := range sources {
			base := filepath.Base(name)
			if strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "zz_") ||
				base == "generated.pb.go" {
				continue
			}
			file, err := parser.ParseFile(files, name, nil, parser.ParseComments)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			readFile(files, file, &made)
		}
		all[folder] = made
	}
	if err := json.NewEncoder(os.Stdout).Encode(all); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
