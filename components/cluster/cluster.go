// Package cluster is the Pulumi component of a whole EFA training cluster: network, capacity, file systems,
// launch templates, boot scripts, ParallelCluster and the guard of its blocks' ends, as one plan has decided them.
package cluster

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/weft-hpc/weft/amibuild"
	"github.com/weft-hpc/weft/components/blockguard"
	"github.com/weft-hpc/weft/components/capacityblock"
	"github.com/weft-hpc/weft/components/launchtemplate"
	"github.com/weft-hpc/weft/components/network"
	"github.com/weft-hpc/weft/components/parallelcluster"
	"github.com/weft-hpc/weft/components/storage"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
)

// Token is the component's type.
const Token = "weft:index:Cluster"

// Args of a cluster.
type Args struct {
	// Plan of the cluster, without findings at error level, confirmed against the account.
	Plan plan.Cluster `pulumi:"plan"`
	// Images are the plans of the images that the cluster's recipes build, without findings at error level, by the path of
	// the recipe as the cluster's config names it.
	Images map[string]amibuild.Image `pulumi:"images,optional"`
	// Profile of the AWS configuration that buys capacity blocks; left out, what the environment says.
	Profile string `pulumi:"profile,optional"`
}

// Cluster is the component.
type Cluster struct {
	pulumi.ResourceState

	// HeadNodeID is the instance id of the head node.
	HeadNodeID pulumi.StringOutput `pulumi:"headNodeId"`
	// Status of the cluster, in ParallelCluster's words.
	Status pulumi.StringOutput `pulumi:"status"`
	// ConnectCommand opens a session on the head node.
	ConnectCommand pulumi.StringOutput `pulumi:"connectCommand"`
	// ParallelClusterConfig is the configuration that ParallelCluster got, as YAML.
	ParallelClusterConfig pulumi.StringOutput `pulumi:"parallelClusterConfig"`
	// FileSystemIDs by name of the storage.
	FileSystemIDs pulumi.StringMapOutput `pulumi:"fileSystemIds"`
}

// New registers the component. A plan that ParallelCluster can't be told is an error before anything is registered: a block is
// bought before ParallelCluster's own part comes.
func New(ctx *pulumi.Context, name string, args *Args, opts ...pulumi.ResourceOption) (*Cluster, error) {
	if args == nil {
		return nil, fmt.Errorf("arguments of %s: none", name)
	}
	if err := parallelcluster.Check(args.Plan); err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", name, err)
	}
	c := &Cluster{}
	if err := ctx.RegisterComponentResource(Token, name, c, opts...); err != nil {
		return nil, fmt.Errorf("registering %s: %w", name, err)
	}
	b := &builder{ctx: ctx, name: name, plan: args.Plan, recipes: args.Images, profile: args.Profile, parent: pulumi.Parent(c)}
	pc, err := b.build()
	if err != nil {
		return nil, err
	}
	if err := b.guard(pc.HeadNodeID); err != nil {
		return nil, err
	}
	c.HeadNodeID, c.Status, c.ConnectCommand = pc.HeadNodeID, pc.Status, pc.ConnectCommand
	c.ParallelClusterConfig = pc.ConfigYAML
	c.FileSystemIDs = b.storage.FileSystemIDs
	return c, ctx.RegisterResourceOutputs(c, pulumi.Map{
		"headNodeId":            c.HeadNodeID,
		"status":                c.Status,
		"connectCommand":        c.ConnectCommand,
		"parallelClusterConfig": c.ParallelClusterConfig,
		"fileSystemIds":         c.FileSystemIDs,
	})
}

// builder registers the parts of one cluster, in the order in which they need each other.
type builder struct {
	ctx     *pulumi.Context
	name    string
	plan    plan.Cluster
	recipes map[string]amibuild.Image
	profile string
	parent  pulumi.ResourceOption

	network      *network.Network
	storage      *storage.Storage
	reservations map[string]pulumi.StringInput // of groups on a block
}

func (b *builder) build() (*parallelcluster.ParallelCluster, error) {
	// First what can be refused: an image that nobody planned, or that a stack can't build.
	imageID, imageIDs, err := b.images()
	if err != nil {
		return nil, err
	}
	b.network, err = network.New(b.ctx, b.name, &network.Args{
		Plan: b.plan.Network, Region: b.plan.Region, Keep: b.keepsStorage(), Tags: b.plan.Config.Tags,
	}, b.parent)
	if err != nil {
		return nil, err
	}
	subnets, names := b.subnets()
	b.storage, err = storage.New(b.ctx, b.name, &storage.Args{
		Storage: b.plan.Config.Storage, SubnetIDs: subnets, SubnetNames: names, SecurityGroupIDs: b.securityGroups(), Tags: b.plan.Config.Tags,
	}, b.parent)
	if err != nil {
		return nil, err
	}
	b.reservations, err = b.capacityBlocks()
	if err != nil {
		return nil, err
	}
	templates, err := b.launchTemplates()
	if err != nil {
		return nil, err
	}
	bootBucket, err := b.bootScripts()
	if err != nil {
		return nil, err
	}
	args := parallelcluster.Args{
		Plan:             b.plan,
		HeadSubnetID:     b.network.HeadSubnetID,
		LoginSubnetID:    b.network.LoginSubnetID,
		ComputeSubnetIDs: map[string]pulumi.StringInput{},
		FileSystemIDs:    map[string]pulumi.StringInput{},
		ReservationIDs:   b.reservations,
		Templates:        templates,
		ImageID:          imageID,
		ImageIDs:         imageIDs,
		BootBucket:       bootBucket,
	}
	if len(b.plan.Network.SecurityGroups) == 0 {
		args.ClusterSecurityGroupID = b.network.SecurityGroupID
	}
	for _, g := range b.plan.Groups {
		args.ComputeSubnetIDs[g.Name] = b.subnet(g)
	}
	for _, s := range b.plan.Config.Storage {
		if s.EBS == nil {
			args.FileSystemIDs[s.Name] = b.storage.FileSystemIDs.MapIndex(pulumi.String(s.Name))
		}
	}
	return parallelcluster.New(b.ctx, b.name, args, b.parent)
}

// guard brings the jobs of a cluster on blocks to the end of those.
func (b *builder) guard(head pulumi.StringInput) error {
	if b.plan.Guard == nil {
		return nil
	}
	_, err := blockguard.New(b.ctx, b.name, &blockguard.Args{Plan: b.plan, HeadNodeID: head, ReservationIDs: b.reservations}, b.parent)
	return err
}

// keepsStorage reports that a file system of the stack stays when the stack is destroyed.
func (b *builder) keepsStorage() bool {
	return slices.ContainsFunc(b.plan.Config.Storage, func(s config.Storage) bool {
		return s.EFS != nil && s.EFS.Keep || s.FSxLustre != nil && s.FSxLustre.Keep
	})
}

func (b *builder) subnet(g plan.NodeGroup) pulumi.StringOutput {
	return b.network.ComputeSubnetIDs.MapIndex(pulumi.String(g.Name))
}

// subnets are the compute subnets that the plan has, in its order, and their names: zones where they are made, else ids.
func (b *builder) subnets() (ids []pulumi.StringInput, names []string) {
	for i, s := range b.plan.Network.Compute {
		ids = append(ids, b.network.SubnetIDs.Index(pulumi.Int(i)))
		names = append(names, cmp.Or(s.Zone, s.ID))
	}
	return ids, names
}

// securityGroups are those in which all nodes of the cluster reach each other.
func (b *builder) securityGroups() pulumi.StringArrayInput {
	if existing := b.plan.Network.SecurityGroups; len(existing) > 0 {
		return pulumi.ToStringArray(existing)
	}
	return pulumi.StringArray{b.network.SecurityGroupID}
}

// capacityBlocks registers each block once, and gives the reservation of each group that stands on one.
func (b *builder) capacityBlocks() (map[string]pulumi.StringInput, error) {
	blocks, out := map[string]pulumi.StringInput{}, map[string]pulumi.StringInput{}
	for _, g := range b.plan.Groups {
		if g.Capacity.Market != plan.CapacityBlock {
			continue
		}
		key := g.Capacity.Key()
		if blocks[key] == nil {
			id, err := b.capacityBlock(g)
			if err != nil {
				return nil, err
			}
			blocks[key] = id
		}
		out[g.Name] = blocks[key]
	}
	return out, nil
}

// capacityBlock adopts the block of a group, or buys it: under the name of the first group that uses it, so that another
// offering in the config is not another block. Money moves when everything that costs little stands: a network that was
// refused must not leave a block behind.
func (b *builder) capacityBlock(g plan.NodeGroup) (pulumi.StringInput, error) {
	if g.Capacity.Offering == nil {
		block, err := capacityblock.New(b.ctx, b.name+"-"+g.Capacity.Key(), &capacityblock.Args{Capacity: g.Capacity}, b.parent)
		if err != nil {
			return nil, err
		}
		return block.ReservationID, nil
	}
	bought, err := capacityblock.Buy(b.ctx, b.name+"-"+g.Name, &capacityblock.PurchaseArgs{
		Region: b.plan.Region, Profile: b.profile, Group: g, Platform: b.plan.OS.Platform, Tags: b.plan.Config.Tags,
	}, b.parent, pulumi.DependsOn(slices.Concat(b.network.Resources(), b.storage.Resources())))
	if err != nil {
		return nil, err
	}
	return bought.ReservationID, nil
}

// launchTemplates registers a template of interfaces for each group whose layout ParallelCluster does not make
// itself. It takes ParallelCluster's own security group off the nodes, so it carries the cluster's.
func (b *builder) launchTemplates() (map[string]parallelcluster.Template, error) {
	out := map[string]parallelcluster.Template{}
	for _, g := range b.plan.Groups {
		if !g.Rendering.Override {
			continue
		}
		lt, err := launchtemplate.New(b.ctx, b.name+"-"+g.Name, &launchtemplate.Args{
			Group: g, Use: launchtemplate.Interfaces,
			SubnetID: b.subnet(g).ToStringPtrOutput(), SecurityGroupIDs: b.securityGroups(),
			Tags: b.plan.Config.Tags,
		}, b.parent)
		if err != nil {
			return nil, err
		}
		out[g.Name] = parallelcluster.Template{ID: lt.TemplateID, Version: lt.Version}
	}
	return out, nil
}
