package diag

// The rules. An id never changes its meaning; the steps grow as more places judge it.
const (
	ConfigKey      ID = "config/key"
	ConfigType     ID = "config/type"
	ConfigValue    ID = "config/value"
	ConfigRequired ID = "config/required"
	ConfigConflict ID = "config/conflict"
	FileUnreadable ID = "file/unreadable"
	ValueUnknown   ID = "value/unknown"

	BlockCount          ID = "block/count"
	BlockDrift          ID = "block/drift"
	BlockDuration       ID = "block/duration"
	BlockIDForm         ID = "block/id-form"
	BlockKind           ID = "block/kind"
	BlockOffering       ID = "block/offering"
	BlockPairing        ID = "block/pairing"
	BlockPlacementGroup ID = "block/placement-group"
	BlockPlatform       ID = "block/platform"
	BlockPrice          ID = "block/price"
	BlockPurchase       ID = "block/purchase"
	BlockSeveral        ID = "block/several"
	BlockSize           ID = "block/size"
	BlockState          ID = "block/state"
	BlockTenancy        ID = "block/tenancy"
	BlockType           ID = "block/type"
	BlockZone           ID = "block/zone"
	ODCRPlacementGroup  ID = "odcr/placement-group"

	EFAOneZone             ID = "efa/one-zone"
	NICAddresses           ID = "nic/addresses"
	NICAggregate           ID = "nic/aggregate"
	NICCombinedType        ID = "nic/combined-type"
	NICDeleteOnTermination ID = "nic/delete-on-termination"
	NICDeviceIndex         ID = "nic/device-index"
	NICEFACard             ID = "nic/efa-card"
	NICEFACount            ID = "nic/efa-count"
	NICEFAOff              ID = "nic/efa-off"
	NICNotSupported        ID = "nic/not-supported"
	NICPrimary             ID = "nic/primary"
	NICPublicIP            ID = "nic/public-ip"
	NICSubnet              ID = "nic/subnet"
	PlacementType          ID = "placement/type"
	SGSelfEgress           ID = "sg/self-egress"
	SGSelfIngress          ID = "sg/self-ingress"

	VerBaseImage     ID = "ver/base-image"
	VerContradictory ID = "ver/contradictory"
	VerDenied        ID = "ver/denied"
	VerFloor         ID = "ver/floor"
	VerHostContainer ID = "ver/host-container"
	VerPair          ID = "ver/pair"
	VerUnreadable    ID = "ver/unreadable"

	AMIArchitecture    ID = "ami/architecture"
	AMIBuildStatus     ID = "ami/build-status"
	AMIChecksum        ID = "ami/checksum"
	AMIDriverFlavour   ID = "ami/driver-flavour"
	AMIKernel          ID = "ami/kernel"
	AMILock            ID = "ami/lock"
	AMINVIDIAMissing   ID = "ami/nvidia-missing"
	AMIOrder           ID = "ami/order"
	AMIOS              ID = "ami/os"
	AMIParent          ID = "ami/parent"
	AMIParallelCluster ID = "ami/pcluster-version"

	BootChecksum ID = "boot/checksum"
	BootGDRCopy  ID = "boot/gdrcopy"
	BootS3Access ID = "boot/s3-access"
	BootTimeout  ID = "boot/timeout"
	BootURL      ID = "boot/url"

	NodeDriver        ID = "node/driver"
	NodeEFACount      ID = "node/efa-count"
	NodeFabricManager ID = "node/fabric-manager"
	NodeGDRDrv        ID = "node/gdrdrv"
	NodeGPUCount      ID = "node/gpu-count"
	NodeMemlock       ID = "node/memlock"
	NodePeermem       ID = "node/peermem"

	EnvForcedFallback ID = "env/forced-fallback"
	EnvHarmful        ID = "env/harmful"
	EnvIBResidue      ID = "env/ib-residue"
	EnvObsolete       ID = "env/obsolete"
	EnvOtherCloud     ID = "env/other-cloud"
	EnvUnknown        ID = "env/unknown"

	CPUPerRank      ID = "cpu/per-rank"
	CPUSrunInherit  ID = "cpu/srun-inherit"
	MoEDispatcher   ID = "moe/dispatcher"
	MoEEPSpansNodes ID = "moe/ep-spans-nodes"
	MoERankOrder    ID = "moe/rank-order"

	PCKey     ID = "pc/key"
	PCName    ID = "pc/name"
	PCOS      ID = "pc/os"
	PCSize    ID = "pc/size"
	PCUpdate  ID = "pc/update"
	PCVersion ID = "pc/version"

	NetGDR         ID = "net/gdr"
	NetNICs        ID = "net/nics"
	NetPlugin      ID = "net/plugin"
	NetProvider    ID = "net/provider"
	NetSocket      ID = "net/socket"
	NetUnproved    ID = "net/unproved"
	PerfBelow      ID = "perf/below"
	PerfData       ID = "perf/data"
	PerfImpossible ID = "perf/impossible"
	PerfLatency    ID = "perf/latency"
	PerfStraggler  ID = "perf/straggler"
	PerfUnjudged   ID = "perf/unjudged"
	TopoAccount    ID = "topo/account"
	TopoBetween    ID = "topo/between-blocks"
	TopoDrift      ID = "topo/drift"
	TopoHost       ID = "topo/host"
	TopoSpread     ID = "topo/spread"
	TopoUnknown    ID = "topo/unknown"
	TrainLoss      ID = "train/loss"
	TrainStall     ID = "train/stall"

	JobContainer ID = "job/container"
	JobEnded     ID = "job/ended"
	JobNode      ID = "job/node"

	AccountDenied   ID = "account/denied"
	AccountOffering ID = "account/offering"
	AccountQuota    ID = "account/quota"
	AccountSkipped  ID = "account/skipped"
	AccountVPC      ID = "account/vpc"
	AccountMissing  ID = "account/missing"
)

var registry = []Rule{
	{ConfigKey, Error, Plan | Policy | Image, "every key is one that weft knows, and stands once"},
	{ConfigType, Error, Plan, "a value has the type of its key"},
	{ConfigValue, Error, Plan | Policy | Image, "a value is one that its key takes"},
	{ConfigRequired, Error, Plan | Policy | Image, "a key without a default is given"},
	{ConfigConflict, Error, Plan | Image, "keys that exclude each other are not given together"},
	{FileUnreadable, Error, Plan | Account | Policy | Image | Validation, "a file can be read whole, and is what it says it is"},
	{ValueUnknown, Warn, Policy | Validation, "every value that a rule needs is known when it is judged"},

	{BlockCount, Error, Plan | Policy, "a group on a capacity block has a fixed count above zero and one instance type"},
	{BlockDrift, Warn, Account, "block, launch template and running instances name the same reservation"},
	{BlockDuration, Error, Plan | Account, "a capacity block lasts 1 to 14 days, or a multiple of 7 up to 182, and ends at 11:30 UTC"},
	{BlockIDForm, Error, Plan | Policy, "only a reservation, cr-…, can be targeted, not the id of a block or of an offering"},
	{BlockKind, Error, Plan | Account | Policy, "a reservation asked for as a capacity block is one, and a capacity block is asked for as one"},
	{BlockOffering, Error, Account, "an offering is bought as it was pinned, while its confirmation holds"},
	{BlockPairing, Error, Plan | Policy, "market type capacity-block and a targeted reservation id go together"},
	{BlockPlacementGroup, Error, Plan | Policy, "a capacity block takes no placement group, by any road"},
	{BlockPlatform, Error, Account, "the block's platform is the image's platform"},
	{BlockPrice, Error, Plan | Account, "an offering costs no more than the confirmed price"},
	{BlockPurchase, Error, Account, "a block is bought once for each owner: nothing that was bought for it stands, and no attempt is open"},
	{BlockSeveral, Warn, Plan | Account, "several blocks can lie on different spines and can never be merged"},
	{BlockSize, Error, Plan | Account | Policy, "all groups on one block together ask for no more instances than were bought"},
	{BlockState, Error, Account | Policy | Validation, "the block is active, or will become so"},
	{BlockTenancy, Error, Account, "a capacity block has default tenancy"},
	{BlockType, Error, Plan | Account, "block and group name the same instance type"},
	{BlockZone, Error, Account, "block and subnet lie in the same Availability Zone"},
	{ODCRPlacementGroup, Error, Account | Policy, "an on-demand reservation made in a placement group needs that group, any other needs none"},

	{EFAOneZone, Error, Plan | Account | Policy, "EFA does not cross Availability Zones or VPCs"},
	{NICAddresses, Error, Plan | Account, "the subnet has an address for every interface that takes one"},
	{NICAggregate, Error, Policy, "interfaces stay within the limits of their card and of the type"},
	{NICCombinedType, Note, Policy, "beside the primary interface EFA takes no address"},
	{NICDeleteOnTermination, Error, Policy, "an interface ends with its instance"},
	{NICDeviceIndex, Error, Policy, "a device index counts within its card, and is there once"},
	{NICEFACard, Error, Plan | Policy, "EFA interfaces sit only on cards that take EFA, at most one a card"},
	{NICEFACount, Warn, Plan | Policy | Validation, "a node has as many EFA interfaces as its type takes"},
	{NICEFAOff, Warn, Plan | Policy, "several nodes of a type that has EFA use it"},
	{NICNotSupported, Error, Plan | Policy, "the instance type takes EFA"},
	{NICPrimary, Error, Policy, "the primary interface is card 0 device 0, and carries the address"},
	{NICPublicIP, Error, Account | Policy, "no automatic public address with more than one interface"},
	{NICSubnet, Error, Policy, "the interfaces of an EKS node group's template name no subnet"},
	{PlacementType, Error, Policy, "a cluster placement group takes the instance type"},
	{SGSelfEgress, Error, Account | Policy | Validation, "a security group lets all traffic out to itself, by group id"},
	{SGSelfIngress, Error, Account | Policy | Validation, "a security group lets all traffic in from itself, by group id"},

	{VerBaseImage, Warn, Plan, "what a container's base image brings is read from the image, not from its name"},
	{VerContradictory, Warn, Plan, "a component is there once, in one version"},
	{VerDenied, Error, Plan | Policy | Image | Boot | Validation, "no component has a version that is known to be bad"},
	{VerFloor, Error, Plan | Policy | Image | Boot | Validation, "every component is at or above the floor of instance type and workload"},
	{VerHostContainer, Warn, Plan | Validation, "host and container do not differ in a way that matters"},
	{VerPair, Error, Plan | Policy | Image | Boot | Validation, "components that must fit together do"},
	{VerUnreadable, Error, Plan | Policy | Image | Boot | Validation, "every version can be read"},

	{AMIArchitecture, Error, Account | Policy | Image, "image and instance type have the same architecture"},
	{AMIBuildStatus, Error, Account | Policy | Image, "a ParallelCluster image says that its build ended well"},
	{AMIChecksum, Error, Image, "everything that an image installs is pinned by its SHA-256"},
	{AMIDriverFlavour, Error, Plan | Image | Boot | Validation, "NVIDIA's kernel modules are the open ones where GPU or kernel need them"},
	{AMIKernel, Warn, Image | Validation, "nothing moves the kernel once modules are built for it"},
	{AMILock, Error, Image, "the lock holds what the recipe asks for"},
	{AMINVIDIAMissing, Error, Account | Policy | Image, "an image for GPU nodes carries NVIDIA software"},
	{AMIOrder, Error, Image, "what is built against something is installed after it: kernel, driver, EFA, GDRCopy"},
	{AMIOS, Error, Account | Policy | Image, "the image's operating system is the cluster's"},
	{AMIParent, Error, Image, "an image is built from a parent that its way of building takes"},
	{AMIParallelCluster, Error, Account | Policy | Image | Validation, "the image was built for the cluster's ParallelCluster version"},

	{BootChecksum, Error, Plan | Boot, "a boot script is pinned by its SHA-256"},
	{BootGDRCopy, Error, Image | Boot | Validation, "GDRCopy comes from one place, fits kernel and driver, and its module is loaded"},
	{BootS3Access, Error, Policy, "nodes may read the scripts that they fetch from S3"},
	{BootTimeout, Warn, Plan, "boot actions end within the bootstrap timeout"},
	{BootURL, Error, Plan | Policy | Image, "boot scripts come by s3:// or https://"},

	{NodeDriver, Error, Boot | Validation, "the NVIDIA driver runs, module and libraries of one version"},
	{NodeEFACount, Error, Boot | Validation, "a node shows as many EFA devices and domains as the plan gives it"},
	{NodeFabricManager, Error, Boot | Validation, "the Fabric Manager has set up the NVSwitches"},
	{NodeGDRDrv, Error, Boot | Validation, "gdrdrv is loaded in the version of its file, and has its device"},
	{NodeGPUCount, Error, Boot | Validation, "a node shows as many GPUs as its type has"},
	{NodeMemlock, Error, Boot | Validation, "jobs may lock memory without limit"},
	{NodePeermem, Error, Boot | Validation, "the network can read GPU memory, by a peer-memory module or by DMA-BUF"},

	{EnvForcedFallback, Error, Policy | Validation, "nothing forces sockets, and nothing hides a broken path"},
	{EnvHarmful, Warn, Policy | Validation, "no variable takes bandwidth from EFA, or the place of what the plugin sets for the type"},
	{EnvIBResidue, Error, Policy | Validation, "no setting of InfiniBand is left over"},
	{EnvObsolete, Warn, Policy | Validation, "no variable is set for releases that are gone"},
	{EnvOtherCloud, Warn, Policy | Validation, "no setting of another cloud's fabric is left over"},
	{EnvUnknown, Note, Policy | Validation, "a program reads the variable of that name"},

	{CPUPerRank, Error, Plan | Policy | Validation, "a rank gets its share of the node's vCPUs"},
	{CPUSrunInherit, Error, Policy | Validation, "srun gives a task the CPUs that its job asked for, from one place"},
	{MoEDispatcher, Error, Plan | Policy | Validation, "the expert-parallel dispatcher works over EFA"},
	{MoEEPSpansNodes, Warn, Plan | Policy | Validation, "an expert-parallel group stays within a node"},
	{MoERankOrder, Error, Plan | Policy | Validation, "consecutive ranks fill a node before the next"},

	{PCKey, Error, Plan | Policy | Image, "a setting exists in the chosen ParallelCluster version"},
	{PCName, Error, Plan, "names are ones that ParallelCluster takes"},
	{PCOS, Error, Plan | Policy | Image, "the operating system exists in the chosen ParallelCluster version"},
	{PCSize, Error, Plan | Image, "a configuration stays within ParallelCluster's and CloudFormation's limits"},
	{PCUpdate, Error, Plan | Account, "a change is one that ParallelCluster takes on the running cluster"},
	{PCVersion, Error, Plan | Image, "the ParallelCluster version is one that weft knows"},

	{NetGDR, Error, Validation, "channels between nodes carry GDRDMA where the type requires it"},
	{NetNICs, Error, Validation, "the plugin finds as many NICs as the type has, on every node"},
	{NetPlugin, Error, Validation, "NCCL loads the EFA plugin, on every node"},
	{NetProvider, Error, Validation, "the plugin selects provider efa, on every node"},
	{NetSocket, Error, Validation, "NCCL uses no sockets between nodes"},
	{NetUnproved, Error, Validation, "the log of every node shows the road between nodes"},
	{PerfBelow, Error, Validation, "bandwidth at large sizes reaches the expected share of its ceiling"},
	{PerfData, Error, Validation, "results are right, and a run is whole"},
	{PerfImpossible, Error, Validation, "no measurement lies above the physical ceiling"},
	{PerfLatency, Warn, Validation, "small messages travel as fast as the reference"},
	{PerfStraggler, Warn, Validation, "no node is slower than its peers"},
	{PerfUnjudged, Error, Validation, "what was measured is enough to judge"},
	{TopoAccount, Error, Account, "places of one account are compared: ids of network nodes are hashed for each"},
	{TopoBetween, Warn, Validation, "pairs between blocks reach the stated share of pairs inside a block"},
	{TopoDrift, Warn, Account, "Slurm's topology is the one that EC2 tells, with every node in it"},
	{TopoHost, Warn, Account, "every instance has the name of its host"},
	{TopoSpread, Warn, Account, "the instances of a block stand under one network node"},
	{TopoUnknown, Warn, Account, "EC2 tells where each instance sits, and tells it one way"},
	{TrainLoss, Error, Validation, "the loss is a number, and falls"},
	{TrainStall, Warn, Validation, "no iteration takes more than three times the median"},

	{JobContainer, Error, Validation, "Slurm starts the training image"},
	{JobEnded, Error, Validation, "a step's job runs to its end"},
	{JobNode, Error, Validation, "the nodes of a job stay up"},

	{AccountDenied, Error, Account, "the account lets weft read what a preflight check needs"},
	{AccountMissing, Error, Account, "what the config names exists in the account"},
	{AccountOffering, Error, Account, "the instance type is offered in the zone"},
	{AccountQuota, Error, Account, "the account's quotas allow what is planned"},
	{AccountSkipped, Note, Account, "a preflight check was skipped on request"},
	{AccountVPC, Error, Account, "the VPC resolves names, holds all subnets, and lets every node reach the mount targets of a new file system"},
}
