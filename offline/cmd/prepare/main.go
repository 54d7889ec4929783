// Command prepare makes the tools that tests and the demo need, so that neither has to wait for them.
//
//	go run ./offline/cmd/prepare            all of them
//	go run ./offline/cmd/prepare pulumi     those that are named
//	go run ./offline/cmd/prepare -list      what there is, and what is missing
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/weft-hpc/weft/offline/toolchain"
)

func main() {
	list := flag.Bool("list", false, "say what there is instead of making it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *list, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "prepare:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, list bool, names []string) error {
	chain, err := toolchain.New(".", toolchain.NewProgress(os.Stderr))
	if err != nil {
		return err
	}
	tools, err := toolchain.Known(ctx, chain.Checkout)
	if err != nil {
		return err
	}
	if tools, err = choose(tools, names); err != nil {
		return err
	}
	if list {
		return show(ctx, os.Stdout, chain, tools)
	}
	for _, tool := range tools {
		path, err := chain.Make(ctx, tool)
		if err != nil {
			return err
		}
		fmt.Println(path)
	}
	return nil
}

func choose(tools []toolchain.Tool, names []string) ([]toolchain.Tool, error) {
	if len(names) == 0 {
		return tools, nil
	}
	var chosen []toolchain.Tool
	for _, name := range names {
		i := slices.IndexFunc(tools, func(t toolchain.Tool) bool { return t.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no tool %q, -list shows them", name)
		}
		chosen = append(chosen, tools[i])
	}
	return chosen, nil
}

func show(ctx context.Context, w io.Writer, chain *toolchain.Chain, tools []toolchain.Tool) error {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.SetStyle(table.StyleLight)
	t.AppendHeader(table.Row{"tool", "version", "what it is", "where"})
	for _, tool := range tools {
		path, found, err := chain.Find(ctx, tool)
		if err != nil {
			return err
		}
		if !found {
			path = "missing"
		}
		t.AppendRow(table.Row{tool.Name, tool.Version, tool.Doc, path})
	}
	t.Render()
	return nil
}
