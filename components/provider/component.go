package provider

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	pulumiconfig "github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"

	"github.com/weft-hpc/weft/components/capacityblock"
	"github.com/weft-hpc/weft/components/cluster"
	"github.com/weft-hpc/weft/components/cluster/confirmation"
	"github.com/weft-hpc/weft/components/launchtemplate"
	"github.com/weft-hpc/weft/components/network"
	"github.com/weft-hpc/weft/components/parallelcluster/pcconfig"
	"github.com/weft-hpc/weft/components/provider/purchaser"
	"github.com/weft-hpc/weft/components/provider/validator"
	"github.com/weft-hpc/weft/components/storage"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/render"
	"github.com/weft-hpc/weft/fabric/plan"
)

// Type is a type that the plugin serves: a resource of its own, or a component.
type Type struct {
	Token     string
	Component bool
	// Inputs and Outputs are the structs that have the properties. Those of a resource are named by json tags, those of a
	// component by pulumi tags.
	Inputs, Outputs reflect.Type
}

// Types are all types of the plugin.
func Types() []Type {
	out := []Type{
		{Token: validator.Token, Inputs: reflect.TypeFor[validator.Inputs](), Outputs: reflect.TypeFor[validator.State]()},
		{Token: purchaser.Token, Inputs: reflect.TypeFor[purchaser.Inputs](), Outputs: reflect.TypeFor[purchaser.State]()},
	}
	for _, c := range components() {
		out = append(out, c.Type)
	}
	return out
}

// Config is the config of a cluster: YAML or JSON text, or the same as an object. The plugin plans it, as the program of
// a whole cluster does.
type Config string

// components are those whose arguments are a config and ids. The rest are parts of them that make sense to Go programs
// only: their arguments are plans, of which no other language has the types.
func components() []component {
	return []component{
		serve(cluster.Token, newCluster),
		serve(network.Token, newNetwork),
		serve(storage.Token, newStorage),
		serve(capacityblock.Token, newCapacityBlock),
		serve(launchtemplate.Token, newLaunchTemplate),
	}
}

// ClusterArgs are the inputs of a whole cluster.
type ClusterArgs struct {
	// Cluster is the cluster's config: YAML or JSON text, or the same as an object.
	Cluster Config `pulumi:"cluster"`
}

func newCluster(ctx *pulumi.Context, name string, args *ClusterArgs, options pulumi.ResourceOption) (*cluster.Cluster, error) {
	p, err := args.Cluster.plan(ctx)
	if err != nil {
		return nil, err
	}
	aws := pulumiconfig.New(ctx, "aws")
	if region := aws.Get("region"); region != "" && region != p.Region {
		return nil, fmt.Errorf("%s: the cluster's region is %s, aws:region is %s; want one for both", name, p.Region, region)
	}
	confirmed, err := confirmation.Of(ctx.Context(), aws.Get("profile"), p)
	if err != nil {
		return nil, err
	}
	if err := args.Cluster.report(ctx, confirmed.Apply(p.Config.Rules)); err != nil {
		return nil, err
	}
	return cluster.New(ctx, name, &cluster.Args{Plan: p, Profile: aws.Get("profile")}, options)
}

// NetworkArgs are the inputs of a cluster's network.
type NetworkArgs struct {
	// Cluster is the config of the cluster that the network is for.
	Cluster Config `pulumi:"cluster"`
	// Keep the VPC, its compute subnets and the security group when the stack is destroyed.
	Keep bool `pulumi:"keep,optional"`
}

func newNetwork(ctx *pulumi.Context, name string, args *NetworkArgs, options pulumi.ResourceOption) (*network.Network, error) {
	p, err := args.Cluster.plan(ctx)
	if err != nil {
		return nil, err
	}
	return network.New(ctx, name, &network.Args{Plan: p.Network, Region: p.Region, Keep: args.Keep, Tags: p.Config.Tags}, options)
}

// StorageArgs are the inputs of a cluster's file systems.
type StorageArgs struct {
	// Cluster is the config of the cluster that the file systems are for.
	Cluster Config `pulumi:"cluster"`
	// SubnetIDs of the compute nodes, one for each zone: FSx stands in the first, EFS has a mount target in each.
	SubnetIDs []pulumi.StringInput `pulumi:"subnetIds"`
	// SecurityGroupIDs of the file systems: groups that the cluster's nodes are in, open to themselves.
	SecurityGroupIDs pulumi.StringArrayInput `pulumi:"securityGroupIds"`
}

func newStorage(ctx *pulumi.Context, name string, args *StorageArgs, options pulumi.ResourceOption) (*storage.Storage, error) {
	p, err := args.Cluster.plan(ctx)
	if err != nil {
		return nil, err
	}
	if len(args.SubnetIDs) == 0 || args.SecurityGroupIDs == nil {
		return nil, fmt.Errorf("%s: want subnetIds and securityGroupIds of the file systems", name)
	}
	return storage.New(ctx, name, &storage.Args{
		Storage: p.Config.Storage, SubnetIDs: args.SubnetIDs, SecurityGroupIDs: args.SecurityGroupIDs, Tags: p.Config.Tags,
	}, options)
}

// CapacityBlockArgs are the inputs of a capacity block that was bought and is adopted.
type CapacityBlockArgs struct {
	// Cluster is the config of the cluster that uses the block.
	Cluster Config `pulumi:"cluster"`
	// Group is the name of a group of nodes on the block.
	Group string `pulumi:"group"`
}

func newCapacityBlock(
	ctx *pulumi.Context, name string, args *CapacityBlockArgs, options pulumi.ResourceOption,
) (*capacityblock.CapacityBlock, error) {
	_, g, err := args.Cluster.group(ctx, args.Group)
	if err != nil {
		return nil, err
	}
	return capacityblock.New(ctx, name, &capacityblock.Args{Capacity: g.Capacity}, options)
}

// LaunchTemplateArgs are the inputs of a launch template.
type LaunchTemplateArgs struct {
	// Cluster is the config of the cluster that has the group.
	Cluster Config `pulumi:"cluster"`
	// Group is the name of the group of nodes that the template is for.
	Group string `pulumi:"group"`
	// Use of the template: whole (the default) for nodes that you start yourself, interfaces for nothing but network
	// interfaces.
	Use launchtemplate.Use `pulumi:"use,optional"`
	// Combined puts EFA and IP on one interface (efa instead of efa-only), as PCS and eksctl ask for. It takes an address
	// for each EFA interface.
	Combined bool `pulumi:"combined,optional"`
	// SubnetID of every interface. Leave it out for EKS, which sets subnets itself.
	SubnetID pulumi.StringPtrInput `pulumi:"subnetId,optional"`
	// SecurityGroupIDs of every interface. One of them must let all traffic in from and out to itself.
	SecurityGroupIDs pulumi.StringArrayInput `pulumi:"securityGroupIds,optional"`
	// ReservationID of the targeted reservation; left out, the one that the config names.
	ReservationID pulumi.StringPtrInput `pulumi:"reservationId,optional"`
	// ImageID of a whole template.
	ImageID pulumi.StringPtrInput `pulumi:"imageId,optional"`
	// InstanceProfileARN of a whole template.
	InstanceProfileARN pulumi.StringPtrInput `pulumi:"instanceProfileArn,optional"`
	// KeyName of a whole template.
	KeyName pulumi.StringPtrInput `pulumi:"keyName,optional"`
	// UserData of a whole template, in base64.
	UserData pulumi.StringPtrInput `pulumi:"userData,optional"`
}

func newLaunchTemplate(
	ctx *pulumi.Context, name string, args *LaunchTemplateArgs, options pulumi.ResourceOption,
) (*launchtemplate.LaunchTemplate, error) {
	p, g, err := args.Cluster.group(ctx, args.Group)
	if err != nil {
		return nil, err
	}
	if args.Use == "" {
		args.Use = launchtemplate.Whole
	}
	return launchtemplate.New(ctx, name, &launchtemplate.Args{
		Group: g, Use: args.Use, Combined: args.Combined, SubnetID: args.SubnetID, SecurityGroupIDs: args.SecurityGroupIDs,
		ReservationID: args.ReservationID, ImageID: args.ImageID, InstanceProfileARN: args.InstanceProfileARN,
		KeyName: args.KeyName, UserData: args.UserData, Tags: p.Config.Tags,
	}, options)
}

// group plans the cluster and gives one of its groups.
func (c Config) group(ctx *pulumi.Context, name string) (plan.Cluster, plan.NodeGroup, error) {
	p, err := c.plan(ctx)
	if err != nil {
		return p, plan.NodeGroup{}, err
	}
	i := slices.IndexFunc(p.Groups, func(g plan.NodeGroup) bool { return g.Name == name })
	if i < 0 {
		var names []string
		for _, g := range p.Groups {
			names = append(names, g.Name)
		}
		return p, plan.NodeGroup{}, fmt.Errorf("the cluster has no group %q; it has %s", name, strings.Join(names, ", "))
	}
	return p, p.Groups[i], nil
}

// configName is what findings call the config, which comes without a file.
const configName = "cluster"

// plan plans the cluster and shows what was found; a finding at error level is the error.
func (c Config) plan(ctx *pulumi.Context) (plan.Cluster, error) {
	doc, findings := config.Decode(configName, []byte(c))
	p, planned := plan.New(doc.Cluster)
	findings.Add(doc.Place(append(planned, pcconfig.Check(p)...))...)
	return p, c.report(ctx, findings.Apply(doc.Cluster.Rules))
}

// report shows findings; those at error level are the error.
func (c Config) report(ctx *pulumi.Context, findings diag.List) error {
	findings.Sort()
	var errs []error
	for _, f := range findings.AtLeast(diag.Warn) {
		var text strings.Builder
		shown := render.Options{Bare: true, Sources: map[string][]byte{configName: []byte(c)}}
		if err := render.Text(&text, diag.List{f}, shown); err != nil {
			return fmt.Errorf("showing a finding: %w", err)
		}
		said := strings.TrimSpace(text.String())
		if f.Level == diag.Error {
			errs = append(errs, errors.New(said))
			continue
		}
		if err := ctx.Log.Warn(said, nil); err != nil {
			return fmt.Errorf("logging a finding: %w", err)
		}
	}
	return errors.Join(errs...)
}
