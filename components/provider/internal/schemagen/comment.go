package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"
)

// packageDoc gives what a package says it is: the comment of its clause, without "Package x is".
func packageDoc(pkg string) (string, error) {
	folder, err := filepath.Rel(filepath.FromSlash(importPath), filepath.FromSlash(pkg))
	if err != nil {
		return "", fmt.Errorf("finding %s: %w", pkg, err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return "", fmt.Errorf("listing %s: %w", pkg, err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file) //nolint:gosec // a source file of this module
		if err != nil {
			return "", fmt.Errorf("reading %s: %w", pkg, err)
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			return "", fmt.Errorf("reading %s: %w", pkg, err)
		}
		if parsed.Doc != nil {
			return capital(strings.TrimPrefix(paragraphs(parsed.Doc.Text()), "Package "+path.Base(pkg)+" is ")), nil
		}
	}
	return "", fmt.Errorf("package %s has no comment", pkg)
}

func capital(text string) string {
	for _, first := range text {
		return string(unicode.ToUpper(first)) + strings.TrimPrefix(text, string(first))
	}
	return text
}

// paragraphs takes the line breaks out of the paragraphs of a comment.
func paragraphs(comment string) string {
	var out []string
	for _, p := range strings.Split(strings.TrimSpace(comment), "\n\n") {
		out = append(out, strings.Join(strings.Fields(p), " "))
	}
	return strings.Join(out, "\n\n")
}
