package replay

import (
	"math"

	"github.com/weft-hpc/weft/fabric/catalog"
)

// NVLinkBusGBps is about what all-reduce and all-to-all move inside a node of eight GPUs, as bus bandwidth.
const NVLinkBusGBps = 470

// socketBusGBps is about what NCCL moves over sockets.
const socketBusGBps = 6

// Shares of the ceiling that good runs reach, see package catalog's references: all-reduce 377 of 400 GB/s on four nodes,
// all-to-all 95 % of the GPU's share.
const (
	goodAllReduce = 0.93
	goodAllToAll  = 0.94
)

// What one core a rank leaves of the bandwidth: 92 of 368 GB/s, and 8.7 of 95, at 8 GiB.
const (
	oneCoreAllReduce = 92.0 / 368
	oneCoreAllToAll  = 8.7 / 95
)

// fewCPUs is how many CPUs a rank needs for NCCL's proxy threads to keep up.
const fewCPUs = 4

// peak is the bus bandwidth in GB/s that large messages reach.
func (r rank) peak() float64 {
	if len(r.Hosts) == 1 {
		return NVLinkBusGBps
	}
	if r.any(NoDevices) != "" || r.any(NoPlugin) != "" {
		return socketBusGBps
	}
	return r.healthy() * r.share()
}

func (r rank) healthy() float64 {
	node := r.Type.EFAGBps()
	if r.Program == "alltoall_perf" {
		ceiling, _ := catalog.AllToAllCeiling(node/float64(r.PerNode), r.Ranks, r.PerNode)
		return ceiling * goodAllToAll
	}
	if len(r.Hosts) >= catalog.AllReduceCeilingNodes {
		return goodAllReduce * node
	}
	for _, run := range catalog.References(catalog.AllReduce, r.Type.Name) {
		if gbps, ok := run.At(largest); ok && run.Nodes == len(r.Hosts) {
			return gbps
		}
	}
	// Fewer than four nodes pass the node's bandwidth with tree algorithms; as algorithm bandwidth they stay below it.
	return goodAllReduce * node * r.factor()
}

// largest is the message that sweeps on big accelerators end with, in bytes.
const largest = 16 << 30

// share is what faults leave of the bandwidth. A collective is as slow as its slowest node.
func (r rank) share() float64 {
	share := 1.0
	if r.CPUs < fewCPUs {
		share = oneCoreAllReduce
		if r.Program == "alltoall_perf" {
			share = oneCoreAllToAll
		}
	}
	for _, host := range r.Hosts {
		if f, ok := r.has(Slow, host); ok {
			share = min(share, f.Share)
		}
		if f, ok := r.has(TooFewNICs, host); ok {
			share = min(share, float64(f.NICs)/float64(r.Type.MaxEFA))
		}
	}
	return share
}

// factor turns algorithm into bus bandwidth.
func (r rank) factor() float64 {
	n := float64(r.Ranks)
	if r.Program == "alltoall_perf" {
		return (n - 1) / n
	}
	return 2 * (n - 1) / n
}

// half is one side of a row: a message of some bytes takes a start-up time and its bytes at the peak rate.
func (r rank) half(bytes int64, jitter float64) (us, alg, bus float64) {
	start := 28 + 9*math.Log2(float64(r.Ranks))
	us = start*jitter + float64(bytes)*r.factor()/(r.peak()*jitter*1e3)
	if bytes == 0 {
		return us, 0, 0
	}
	alg = float64(bytes) / us / 1e3
	return us, alg, alg * r.factor()
}
