package plan_test

import (
	"fmt"
	"testing"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/plan"
)

// A plan of 1,000 groups of every type with EFA. ParallelCluster takes 50 of them; the planner says so.
func BenchmarkPlan1000Groups(b *testing.B) {
	c := good()
	c.Groups = nil
	types := catalog.Instances()
	for i := range 1000 {
		c.Groups = append(c.Groups, group(fmt.Sprintf("g%d", i), types[i%len(types)].Name, 4))
	}
	b.ReportAllocs()
	for b.Loop() {
		p, _ := plan.New(c)
		if len(p.Groups) != 1000 {
			b.Fatal("groups are missing")
		}
	}
}
