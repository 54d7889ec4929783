package show

import (
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/plan"
)

// floors writes the versions that a group asks for beside what the image is known to have.
func floors(b *strings.Builder, c plan.Cluster, g plan.NodeGroup) {
	if len(g.Versions) == 0 {
		return
	}
	line(b, "versions", "floors, and what the image of ParallelCluster "+c.ParallelCluster+" is known to have")
	var rows []Row
	for _, v := range g.Versions {
		rows = append(rows, Row{v.Component, orText(v.Floor.Min, "any"), v.Floor.For, orText(v.Installed, "-"), verdict(v)})
	}
	indented(b, labelWidth+2, Row{"component", "floor", "for", "image", "verdict"}, rows)
}

func verdict(v catalog.Verdict) string {
	if v.State == catalog.NotKnown {
		return "not known, checked on the node"
	}
	return string(v.State)
}
