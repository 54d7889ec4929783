package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-hpc/weft/fabric/topology"
	"github.com/weft-hpc/weft/validation/result"
)

// topologyPlaces reads files as weft topology does, and gives where the nodes of a validation sit. What is wrong with them is told on stderr.
func topologyPlaces(c *cobra.Command, files []string) ([]result.Place, error) {
	answers, findings, sources, err := readTopology(c, files)
	if err != nil {
		return nil, err
	}
	t, judged := topology.New(answers)
	if findings = append(findings, judged...); len(findings) > 0 {
		findings.Sort()
		if err := (&report{format: "text"}).write(c.ErrOrStderr(), findings, sources); err != nil {
			return nil, err
		}
	}
	if findings.Failed() {
		return nil, errFindings
	}
	return resultPlaces(t)
}

// resultPlaces gives the places that are known by Slurm's names. Which block a node belongs to, a validation knows by its queue.
func resultPlaces(t topology.Topology) ([]result.Place, error) {
	if unknown := t.Renamed(); len(unknown) > 0 {
		return nil, fmt.Errorf("--topology: ParallelCluster has other names for %s: give the output of scontrol show nodes too", strings.Join(unknown, ", "))
	}
	var out []result.Place
	for _, p := range t.Places {
		if p.Known() {
			node, _, _ := strings.Cut(p.Name(), ".")
			out = append(out, result.Place{Node: node, Path: p.Path})
		}
	}
	return out, nil
}
