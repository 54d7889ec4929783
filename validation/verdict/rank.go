package verdict

import (
	"slices"

	"github.com/weft-hpc/weft/fabric/diag"
)

// causes are the rules that a validation judges, in the order in which one causes the next: what the node is, its modules and versions,
// the provider, the plugin, the environment, the CPUs, and what is measured at the end of them all. Of several findings the first in
// this order is the one to mend first.
var causes = []diag.ID{
	// The job, before anything could run.
	diag.BlockState, diag.JobNode, diag.JobContainer,
	// Devices.
	diag.NodeGPUCount, diag.NodeEFACount, diag.NICEFACount, diag.SGSelfIngress, diag.SGSelfEgress,
	// Modules and versions.
	diag.NodeDriver, diag.NodeFabricManager, diag.AMIDriverFlavour, diag.NodePeermem, diag.NodeGDRDrv, diag.BootGDRCopy, diag.NodeMemlock,
	diag.VerUnreadable, diag.VerPair, diag.VerFloor, diag.VerDenied,
	// The road, from below.
	diag.NetProvider, diag.NetNICs, diag.NetPlugin, diag.MoEDispatcher, diag.NetGDR, diag.NetSocket, diag.VerHostContainer,
	// How the job was asked for.
	diag.CPUPerRank, diag.MoERankOrder, diag.MoEEPSpansNodes,
	// What was measured.
	diag.PerfData, diag.PerfImpossible, diag.PerfStraggler, diag.PerfBelow, diag.PerfLatency, diag.TopoBetween, diag.TrainLoss, diag.TrainStall,
	// What nobody can tell.
	diag.JobEnded, diag.NetUnproved, diag.PerfUnjudged, diag.FileUnreadable,
}

// rank is the place of a rule among the causes; a rule that is not among them comes last.
func rank(id diag.ID) int {
	if i := slices.Index(causes, id); i >= 0 {
		return i
	}
	return len(causes)
}

// first is the finding to mend first: of those at error level the one whose rule ranks first. Nil where none is at error level.
func first(l diag.List) *diag.Finding {
	var out *diag.Finding
	for i := range l {
		if l[i].Severity() != diag.Error {
			continue
		}
		if out == nil || rank(l[i].Rule) < rank(out.Rule) {
			out = &l[i]
		}
	}
	return out
}
