package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/weft-hpc/weft/components/parallelcluster/pcconfig"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan/show"
)

// compare shows what the change from an older config needs of a running cluster, and gives what such a cluster
// refuses.
func (o *planOptions) compare(c *cobra.Command, p planned) (diag.List, error) {
	old, err := planFile(c, o.against)
	if err != nil {
		return nil, err
	}
	if old.findings.Failed() {
		return nil, fmt.Errorf("%s has findings at error level: plan it alone to see them", o.against)
	}
	before, err := pcconfig.Preview(old.plan).YAML()
	if err != nil {
		return nil, fmt.Errorf("rendering %s: %w", o.against, err)
	}
	after, err := pcconfig.Preview(p.plan).YAML()
	if err != nil {
		return nil, fmt.Errorf("rendering the new config: %w", err)
	}
	changes, err := pcconfig.Update(p.plan.ParallelCluster, before, after)
	if err != nil {
		return nil, fmt.Errorf("comparing the configs: %w", err)
	}
	refused := pcconfig.Refused(changes, true)
	refused.Add(p.Place(p.plan.Network.LeavesSubnets(old.plan.Network))...)
	if len(changes) == 0 {
		_, err = fmt.Fprintln(c.OutOrStdout(), "no change for ParallelCluster")
		return refused, err
	}
	var rows []show.Row
	for _, change := range changes {
		rows = append(rows, show.Row{change.Key, value(change.Old), value(change.New), fmt.Sprint(change.Needs)})
	}
	return refused, show.Table(c.OutOrStdout(), "", show.Row{"key", "before", "after", "a running cluster"}, rows...)
}

// value writes a value of a configuration in a few words: a section of a list by its name, a key that is not there
// as a dash.
func value(v any) string {
	const most = 60
	switch v := v.(type) {
	case nil:
		return "-"
	case map[string]any:
		if name, ok := v["Name"].(string); ok {
			return name + " {…}"
		}
	}
	text, err := json.Marshal(v)
	if _, plain := v.(string); plain || err != nil {
		text = fmt.Append(nil, v)
	}
	if runes := []rune(string(text)); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return string(text)
}
