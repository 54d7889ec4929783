package catalog

const (
	mib int64 = 1 << 20
	gib int64 = 1 << 30
)

var (
	ncclTests = Source{"awslabs/awsome-distributed-ai, micro-benchmarks/nccl-tests README", factsRead}
	stas      = Source{"stas00/ml-engineering, network benchmarks, 2026-08-07", factsRead}
	pcsTests  = Source{"awslabs/awsome-distributed-ai, architectures/aws-pcs", factsRead}
	epTests   = Source{"awslabs/awsome-distributed-ai, ep-backend-comparison", factsRead}
	b200Pair  = Source{"measurements on p6-b200 by AWS and others in 2026, given as algorithm bandwidth", factsRead}
	ownShares = Source{"derived from the reference runs and their spread; two clusters reproduce each other within 5 %", factsRead}
)

// referenceTable is sorted by collective, type and nodes. All figures are bus bandwidth in GB/s over EFA.
var referenceTable = []Reference{
	{
		Collective: AllReduce, InstanceTypes: []string{"p4d.24xlarge", "p4de.24xlarge"}, Nodes: 2, Program: "nccl-tests",
		Points: []Point{{mib, 6.35}, {64 * mib, 47.6}, {128 * mib, 64.3}, {256 * mib, 69.9}, {gib, 76.8}, {2 * gib, 78.3}},
		Source: ncclTests,
	},
	{
		Collective: AllReduce, InstanceTypes: []string{"p5.48xlarge"}, Nodes: 2, Program: "nccl-tests",
		Points: []Point{
			{mib, 16.0},
			{16 * mib, 105.5},
			{64 * mib, 209},
			{128 * mib, 289},
			{256 * mib, 343},
			{gib, 437},
			{4 * gib, 466},
			{16 * gib, 487},
		},
		Source: ncclTests,
	},
	{
		Collective: AllReduce, InstanceTypes: []string{"p5en.48xlarge"}, Nodes: 4, Program: "nccl-tests",
		Points: []Point{{4 * gib, 364.9}},
		Note:   "Ring, as AWS's tuner chose; NVLSTree gave 310",
		Source: stas,
	},
	{
		Collective: AllReduce, InstanceTypes: []string{"p5en.48xlarge"}, Nodes: 16, Program: "nccl-tests",
		Points: []Point{{16 * gib, 369.9}},
		Note:   "the number of nodes follows from the ratio of bus to algorithm bandwidth, 1.984",
		Source: Source{"awslabs/awsome-distributed-ai, topology-aware nccl-tests README", factsRead},
	},
	{
		Collective: AllReduce, InstanceTypes: []string{"p6-b200.48xlarge"}, Nodes: 2, Program: "nccl-tests",
		Points: []Point{{16 * gib, 701}},
		Note:   "algorithm bandwidth 374 GB/s, 94 % of the node's 400; bus bandwidth is 30/16 of it for 16 ranks",
		Source: b200Pair,
	},
	{
		Collective: AllReduce, InstanceTypes: []string{"p6-b200.48xlarge"}, Nodes: 4, Program: "nccl-tests",
		Points: []Point{{128 * mib, 295}, {256 * mib, 325}, {gib, 367}, {4 * gib, 375}, {16 * gib, 377}},
		Source: pcsTests,
	},
	{
		Collective: AllReduce, InstanceTypes: []string{"p6-b200.48xlarge"}, Nodes: 4, Program: "all_reduce_bench.py",
		Points: []Point{
			{mib, 5.4},
			{16 * mib, 64},
			{64 * mib, 157},
			{128 * mib, 198},
			{256 * mib, 229},
			{512 * mib, 327},
			{gib, 362},
			{16 * gib, 382},
		},
		Source: stas,
	},
	{
		Collective: AllReduce, InstanceTypes: []string{"p6-b300.48xlarge"}, Nodes: 2, Program: "nccl-tests",
		Points: []Point{{16 * gib, 654}, {64 * gib, 751}},
		Note:   "not saturated at 16 GiB; 128 GiB does not fit",
		Source: pcsTests,
	},
	{Collective: AllToAll, InstanceTypes: []string{"p5.48xlarge"}, Nodes: 4, Program: "nccl-tests", Points: []Point{{64 * mib, 45.1}, {0, 53.9}}, Source: epTests},
	{Collective: AllToAll, InstanceTypes: []string{"p5.48xlarge"}, Nodes: 8, Program: "nccl-tests", Points: []Point{{64 * mib, 40.4}, {0, 51.1}}, Source: epTests},
	{
		Collective: AllToAll, InstanceTypes: []string{"p6-b200.48xlarge"}, Nodes: 2, Program: "nccl-tests",
		Points: []Point{{0, 89}},
		Note:   "algorithm bandwidth 95 GB/s; bus bandwidth is 15/16 of it for 16 ranks",
		Source: b200Pair,
	},
	{Collective: AllToAll, InstanceTypes: []string{"p6-b300.48xlarge"}, Nodes: 2, Program: "nccl-tests", Points: []Point{{64 * mib, 104.9}, {0, 179.6}}, Source: epTests},
	{Collective: AllToAll, InstanceTypes: []string{"p6-b300.48xlarge"}, Nodes: 4, Program: "nccl-tests", Points: []Point{{64 * mib, 94.0}, {0, 116.9}}, Source: epTests},
	{Collective: AllToAll, InstanceTypes: []string{"p6-b300.48xlarge"}, Nodes: 8, Program: "nccl-tests", Points: []Point{{64 * mib, 74.0}, {0, 103.2}}, Source: epTests},
	{Collective: AllToAll, InstanceTypes: []string{"p6-b300.48xlarge"}, Nodes: 16, Program: "nccl-tests", Points: []Point{{64 * mib, 73.8}, {0, 84.0}}, Source: epTests},
	{Collective: AllToAll, InstanceTypes: []string{"p6-b300.48xlarge"}, Nodes: 32, Program: "nccl-tests", Points: []Point{{64 * mib, 54.7}, {0, 74.4}}, Source: epTests},
}

// gateTable holds suggestions from published runs, until a site holds its own figures.
var gateTable = []Gate{
	{Collective: AllToAll, MinNodes: 2, MaxNodes: 8, Share: 0.75, Of: GateCeiling, Source: ownShares},
	{Collective: AllToAll, MinNodes: 9, Share: 0.60, Of: GateCeiling, Source: ownShares},
	{Collective: AllReduce, MinNodes: 2, MaxNodes: AllReduceCeilingNodes - 1, Share: 0.85, Of: GateReference, Source: ownShares},
	{Collective: AllReduce, MinNodes: AllReduceCeilingNodes, MinBytes: 4 * gib, Share: 0.85, Of: GateNode, Source: ownShares},
}
