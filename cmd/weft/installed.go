package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/render"
	"github.com/weft-hpc/weft/fabric/installed"
	"github.com/weft-hpc/weft/fabric/plan/show"
)

// judgement is what `weft versions floors --installed` found; its JSON form only ever grows.
type judgement struct {
	Type     string       `json:"type"`
	Workload string       `json:"workload,omitempty"`
	Inputs   []input      `json:"inputs"`
	Verdicts []verdictRow `json:"verdicts"`
	render.Report

	sources map[string][]byte
}

// input is a file that was read, and what it was recognised as.
type input struct {
	File    string             `json:"file"`
	Side    installed.Side     `json:"side"`
	Formats []installed.Format `json:"formats"`
	list    installed.List
}

type verdictRow struct {
	Side      installed.Side    `json:"side"`
	Component catalog.Component `json:"component"`
	Floor     string            `json:"floor"` // lowest version; "any" where it only has to be there
	For       string            `json:"for"`
	Installed string            `json:"installed,omitempty"` // as it was printed; left out where it is not known
	Read      string            `json:"read,omitempty"`      // file and line, or the EFA installer that it was concluded from
	Verdict   catalog.State     `json:"verdict"`
	Why       string            `json:"why"`
}

// judge compares files of what is installed with floors.
func (o *floorOptions) judge(c *cobra.Command, floors []catalog.Floor) error {
	if o.twice() {
		return errors.New("standard input can be given once")
	}
	j := judgement{Type: o.instanceType, Workload: o.workload, sources: map[string][]byte{}}
	findings, err := j.read(c, installed.Host, o.installed)
	if err != nil {
		return err
	}
	more, err := j.read(c, installed.Container, o.container)
	if err != nil {
		return err
	}
	findings.Add(more...)
	rows, judged := installed.Judge(o.instanceType, floors, j.side(installed.Host), j.side(installed.Container))
	findings.Add(judged...)
	for _, r := range rows {
		j.Verdicts = append(j.Verdicts, verdictOf(r))
	}
	j.Report = render.NewReport(findings)
	if err := o.writeJudgement(c, j); err != nil {
		return err
	}
	if findings.Failed() {
		return errFindings
	}
	return nil
}

// read reads the files of a side. A Dockerfile is a container's, wherever it was named.
func (j *judgement) read(c *cobra.Command, side installed.Side, names []string) (diag.List, error) {
	var findings diag.List
	for _, name := range names {
		data, err := readInput(c, name)
		if err != nil {
			return nil, err
		}
		list, unread := installed.Read(name, data)
		findings.Add(unread...)
		in := input{File: name, Side: side, Formats: list.Formats, list: list}
		if slices.Contains(list.Formats, installed.Dockerfile) {
			in.Side = installed.Container
		}
		j.Inputs = append(j.Inputs, in)
		j.sources[name] = data
	}
	return findings, nil
}

// side joins the lists of a side; nil where no file is of it.
func (j *judgement) side(side installed.Side) *installed.List {
	var lists []installed.List
	for _, in := range j.Inputs {
		if in.Side == side {
			lists = append(lists, in.list)
		}
	}
	if lists == nil {
		return nil
	}
	all := installed.Join(lists...)
	return &all
}

func verdictOf(r installed.Row) verdictRow {
	out := verdictRow{
		Side: r.Side, Component: r.Component, Floor: lowest(r.Floor), For: r.Floor.For,
		Installed: r.Installed, Verdict: r.State, Why: why(r.Floor), Read: r.Read.Place.String(),
	}
	if r.Bundle != "" {
		out.Read = r.Bundle
	}
	return out
}

func (o *floorOptions) writeJudgement(c *cobra.Command, j judgement) error {
	switch o.format {
	case "json":
		return writeJSON(c.OutOrStdout(), j)
	case "text":
		for _, in := range j.Inputs {
			c.PrintErrln(in)
		}
		if err := writeVerdicts(c.OutOrStdout(), j); err != nil {
			return err
		}
	}
	if o.format == "text" && len(j.Findings) == 0 {
		return nil
	}
	return o.write(c.OutOrStdout(), j.Findings, j.sources)
}

// String tells what a file was read as.
func (in input) String() string {
	if len(in.Formats) == 0 {
		return in.File + ": nothing that is known"
	}
	formats := make([]string, len(in.Formats))
	for i, f := range in.Formats {
		formats[i] = string(f)
	}
	return fmt.Sprintf("%s: %s (%s)", in.File, strings.Join(formats, ", "), in.Side)
}

func writeVerdicts(w io.Writer, j judgement) error {
	sides := slices.ContainsFunc(j.Verdicts, func(v verdictRow) bool { return v.Side == installed.Container })
	header := show.Row{"component", "floor", "for", "installed", "verdict", "why"}
	if sides {
		header = append(show.Row{"where"}, header...)
	}
	var rows []show.Row
	states := map[catalog.State]int{}
	for _, v := range j.Verdicts {
		have := v.Installed
		if v.Read != "" {
			have += " (" + v.Read + ")"
		}
		row := show.Row{v.Component, v.Floor, v.For, have, v.Verdict, v.Why}
		if sides {
			row = append(show.Row{v.Side}, row...)
		}
		rows = append(rows, row)
		states[v.Verdict]++
	}
	if err := show.Table(w, "", header, rows...); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", counted(states))
	return err
}

func counted(states map[catalog.State]int) string {
	var out []string
	for _, s := range []catalog.State{catalog.Met, catalog.NotMet, catalog.NotKnown, catalog.Unreadable} {
		if n := states[s]; n > 0 || s == catalog.Met {
			out = append(out, fmt.Sprintf("%d %s", n, s))
		}
	}
	return strings.Join(out, ", ")
}
