package preflight

import "github.com/weft-hpc/weft/fabric/plan"

// Demand lists the quotas that bind a plan, each with what the plan asks of it.
func Demand(p plan.Cluster) []Quota {
	var out []Quota
	for _, d := range demands(p) {
		out = append(out, Quota{Service: d.service, Code: d.code, Value: float64(d.amount)})
	}
	return out
}
