package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

func moduleFacts() []Fact {
	out := make([]Fact, 0, len(modules)+1)
	for _, gpu := range slices.Sorted(maps.Keys(modules)) {
		m := modules[gpu]
		out = append(out, Fact{Subject: "kernel modules of " + gpu, Value: m.flavours() + ": " + m.Reason, Source: m.Source})
	}
	return append(out, Fact{Subject: "kernel modules of every other NVIDIA GPU", Value: anyModules.flavours(), Source: anyModules.Source})
}

// flavours gives "open", "closed" or "open and closed".
func (m Modules) flavours() string {
	var out []string
	for _, f := range m.Flavours() {
		out = append(out, string(f))
	}
	return strings.Join(out, " and ")
}

// nodeFacts are those that stand alone: each belongs to a function, not to a table.
func nodeFacts() []Fact {
	installer, closed := ClosedNeedsEFA()
	kernel, dmaBuf := DMABufKernel()
	slurm, twoCounts := TwoCPUCounts()
	return []Fact{
		{Subject: "nodes: closed kernel modules", Value: "GPUDirect RDMA after an update of the kernel needs efa-installer " + installer + " or later", Source: closed},
		{Subject: "nodes: DMA-BUF", Value: "kernel " + kernel + " or later", Source: dmaBuf},
		{Subject: "nodes: NVSwitch", Value: "eight of " + strings.Join(nvSwitched, ", ") + ": the Fabric Manager must run", Source: fabricManagerGuide},
		{Subject: "nodes: srun without its job's CPUs", Value: "Slurm from " + srunLost + " up to, not with, " + srunInheritsAgain, Source: srunNotes},
		{Subject: "nodes: srun ends at two counts of CPUs", Value: "Slurm " + slurm + " or later", Source: twoCounts},
		{Subject: "nodes: no cluster placement group", Value: "families " + strings.Join(noClusterPlacement, ", "), Source: placementGuide},
		{Subject: "nodes: suspect", Value: fmt.Sprintf("below %v of its group's median at the same size", MedianShare), Source: ownShares},
	}
}
