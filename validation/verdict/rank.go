package verdict

import (
	"cmp"
	"slices"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/symptom"
)

// causes are the rules that a validation judges, by what lies below what: of several findings the first in this order is the one to mend
// first. A text of a log has the cause of its own row.
var causes = []struct {
	cause symptom.Cause
	rules []diag.ID
}{
	{symptom.Devices, []diag.ID{
		diag.BlockState, diag.JobNode, diag.NodeGPUCount, diag.NodeEFACount, diag.NICEFACount, diag.SGSelfIngress, diag.SGSelfEgress,
	}},
	{symptom.Modules, []diag.ID{
		diag.AMIParallelCluster, diag.AMIKernel, diag.NodeDriver, diag.NodeFabricManager, diag.AMIDriverFlavour, diag.NodePeermem, diag.NodeGDRDrv, diag.BootGDRCopy, diag.NodeMemlock,
		diag.VerUnreadable, diag.VerPair, diag.VerFloor, diag.VerDenied, diag.VerHostContainer,
	}},
	{symptom.Provider, []diag.ID{diag.NetProvider, diag.NetNICs}},
	{symptom.Plugin, []diag.ID{diag.NetPlugin, diag.MoEDispatcher, diag.MoEEPSpansNodes}},
	{symptom.Environment, []diag.ID{
		diag.JobContainer, diag.EnvForcedFallback, diag.EnvIBResidue, diag.EnvOtherCloud, diag.EnvHarmful, diag.EnvObsolete, diag.EnvUnknown,
		diag.ValueUnknown, diag.CPUSrunInherit, diag.MoERankOrder,
	}},
	// What the road came to, where nothing before it says why.
	{symptom.Affinity, []diag.ID{diag.NetGDR, diag.NetSocket, diag.CPUPerRank}},
	{symptom.Bandwidth, []diag.ID{
		diag.PerfData, diag.PerfImpossible, diag.PerfStraggler, diag.PerfBelow, diag.PerfLatency, diag.TopoBetween, diag.TrainLoss, diag.TrainStall,
	}},
	{symptom.Ended, []diag.ID{diag.JobEnded, diag.NetUnproved, diag.PerfUnjudged, diag.FileUnreadable}},
}

// ranked is a finding with its place among the causes.
type ranked struct {
	diag.Finding
	cause symptom.Cause
	order int // among the rules of one cause
}

// byRule ranks a finding by its rule. A rule that is not among the causes comes last.
func byRule(f diag.Finding) ranked {
	for _, c := range causes {
		if i := slices.Index(c.rules, f.Rule); i >= 0 {
			return ranked{f, c.cause, i}
		}
	}
	return ranked{f, symptom.Ended, len(causes)}
}

// before orders findings: the serious ones first, and of those the lower cause.
func (r ranked) before(other ranked) int {
	return cmp.Or(
		cmp.Compare(other.Severity(), r.Severity()),
		cmp.Compare(r.cause, other.cause),
		cmp.Compare(r.order, other.order),
	)
}

// first is the finding to mend first: of those at error level the one of the lowest cause. Nil where none is at error level.
func first(l []ranked) *ranked {
	var out *ranked
	for i := range l {
		if l[i].Severity() == diag.Error && (out == nil || l[i].before(*out) < 0) {
			out = &l[i]
		}
	}
	return out
}
