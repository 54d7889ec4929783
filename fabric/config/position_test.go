package config

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/fabric/diag"
)

func TestResolve(t *testing.T) {
	doc, list := Decode("c.yaml", []byte(`name: pretrain
region: us-east-2
network: {create: {}}
groups:
  - name: train
    instanceType: p5.48xlarge
    count: 16
    zone: us-east-2a
    capacity:
      block: {reservation: cr-01234567}
tags:
  "a.b": c
  "a[0]\"]": c
rules:
  nic/efa-count: {level: note, reason: known}
`))
	require.Empty(t, list)
	for path, want := range map[string][2]int{
		"name":                                   {1, 1},
		"groups":                                 {4, 1},
		"groups[0]":                              {5, 5},
		"groups[0].capacity.block.reservation":   {10, 15},
		"groups[0].capacity.block.offering.fee":  {10, 7},
		"groups[0].image.ami":                    {5, 5},
		"groups[7].name":                         {4, 1},
		"rules.nic/efa-count.level":              {15, 19},
		`tags["a.b"]`:                            {12, 3},
		`tags["a[0]\"]"]`:                        {13, 3},
		`tags["no.such"].x`:                      {11, 1},
		"slurm.settings":                         {1, 1},
		"groupsX":                                {1, 1},
		`"]`:                                     {1, 1},
		"groups[0].capacity.block.reservation[]": {10, 15},
	} {
		found := diag.List{{Rule: diag.ConfigValue, Place: diag.Place{Path: path}}}
		doc.Positions.Resolve(found)
		require.Equal(t, diag.Place{File: "c.yaml", Line: want[0], Column: want[1], Path: path}, found[0].Place)
	}
	placed := diag.List{{Place: diag.Place{Path: "name", File: "other.yaml"}}, {Place: diag.Place{Resource: "urn"}}}
	doc.Positions.Resolve(placed)
	require.Equal(t, diag.List{{Place: diag.Place{Path: "name", File: "other.yaml"}}, {Place: diag.Place{Resource: "urn"}}}, placed, "what has a place keeps it")
	Positions(nil).Resolve(found("a.b"))
}

func found(path string) diag.List { return diag.List{{Place: diag.Place{Path: path}}} }

// The parent of a child is where it came from, whatever the key.
func TestParent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := ""
		for range rapid.IntRange(0, 4).Draw(t, "depth") {
			path = child(path, rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{`"]`, `["`, `\"]`, `\`, `[`, `.`})).Draw(t, "key"))
		}
		if got := parent(child(path, rapid.String().Draw(t, "last"))); got != path {
			t.Fatalf("%q is not %q", got, path)
		}
		if got := parent(item(path, 3)); got != path {
			t.Fatalf("%q is not %q", got, path)
		}
	})
}
