// Package storage is the Pulumi component of a cluster's file systems: FSx for Lustre and EFS, new or existing.
//
// File systems belong to the Pulumi stack and are handed to ParallelCluster as existing ones: they outlive a
// cluster that is replaced, and adding one is an update that a running cluster takes.
package storage

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/efs"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/fsx"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/weft-hpc/weft/fabric/config"
)

// Token is the component's type.
const Token = "weft:index:Storage"

// Args of the file systems.
type Args struct {
	// Storage as configured; EBS volumes are ParallelCluster's own and are passed over.
	Storage []config.Storage `pulumi:"storage"`
	// SubnetIDs of the compute nodes, one for each zone: FSx stands in the first, EFS has a mount target in each.
	SubnetIDs []pulumi.StringInput `pulumi:"subnetIds"`
	// SubnetNames tell the subnets apart where their order changes, by zone or id: mount targets are named after them.
	// Left out, their positions do.
	SubnetNames []string `pulumi:"subnetNames,optional"`
	// SecurityGroupIDs of the file systems: groups that the cluster's nodes are in, open to themselves.
	SecurityGroupIDs pulumi.StringArrayInput `pulumi:"securityGroupIds"`
	// Tags of every resource.
	Tags map[string]string `pulumi:"tags"`
}

// Storage is the component.
type Storage struct {
	pulumi.ResourceState

	// FileSystemIDs by name of the storage, fs-….
	FileSystemIDs pulumi.StringMapOutput `pulumi:"fileSystemIds"`

	made []pulumi.Resource
}

// Resources are all that were made, for DependsOn; see network.Network.
func (s *Storage) Resources() []pulumi.Resource { return s.made }

// validate names a file system that is to be made and has nowhere to stand.
func (a *Args) validate() error {
	if a == nil {
		return errors.New("none")
	}
	if len(a.SubnetNames) > 0 && len(a.SubnetNames) != len(a.SubnetIDs) {
		return fmt.Errorf("subnetNames has %d names for %d subnets", len(a.SubnetNames), len(a.SubnetIDs))
	}
	for _, c := range a.Storage {
		if isMade(c) && len(a.SubnetIDs) == 0 {
			return fmt.Errorf("subnetIds is empty: %s is made in them", c.Name)
		}
	}
	return nil
}

func isMade(c config.Storage) bool {
	return c.FSxLustre != nil && c.FSxLustre.Existing == "" || c.EFS != nil && c.EFS.Existing == ""
}

// New registers the component. It fails before anything is registered if a file system has no subnet to stand in.
func New(ctx *pulumi.Context, name string, args *Args, opts ...pulumi.ResourceOption) (*Storage, error) {
	if err := args.validate(); err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", name, err)
	}
	s := &Storage{}
	if err := ctx.RegisterComponentResource(Token, name, s, opts...); err != nil {
		return nil, fmt.Errorf("registering %s: %w", name, err)
	}
	m := &maker{Args: args, ctx: ctx, parent: pulumi.Parent(s)}
	ids := pulumi.StringMap{}
	for _, c := range args.Storage {
		id, err := m.fileSystem(name+"-"+c.Name, c)
		if err != nil {
			return nil, fmt.Errorf("registering %s-%s: %w", name, c.Name, err)
		}
		if id != nil {
			ids[c.Name] = id
		}
	}
	s.made, s.FileSystemIDs = m.made, ids.ToStringMapOutput()
	return s, ctx.RegisterResourceOutputs(s, pulumi.Map{"fileSystemIds": s.FileSystemIDs})
}

// maker registers the file systems of one component.
type maker struct {
	*Args
	ctx    *pulumi.Context
	parent pulumi.ResourceOption
	made   []pulumi.Resource
}

// fileSystem gives the id of one file system, made if it does not exist; nil for an EBS volume.
func (m *maker) fileSystem(name string, c config.Storage) (pulumi.StringInput, error) {
	switch {
	case c.FSxLustre != nil && c.FSxLustre.Existing != "":
		return pulumi.String(c.FSxLustre.Existing), nil
	case c.FSxLustre != nil:
		return m.lustre(name, *c.FSxLustre)
	case c.EFS != nil && c.EFS.Existing != "":
		return pulumi.String(c.EFS.Existing), nil
	case c.EFS != nil:
		return m.efs(name, *c.EFS)
	default:
		return nil, nil
	}
}

// lustre makes an FSx for Lustre file system on SSD with its links to S3. It can't move into another subnet, and a new one
// would be empty: where the subnets change, it stays.
func (m *maker) lustre(name string, c config.FSxLustre) (pulumi.StringInput, error) {
	fs, err := fsx.NewLustreFileSystem(m.ctx, name, &fsx.LustreFileSystemArgs{
		StorageCapacity:          pulumi.Int(c.CapacityGiB),
		StorageType:              pulumi.String("SSD"),
		DeploymentType:           pulumi.String("PERSISTENT_2"),
		PerUnitStorageThroughput: pulumi.Int(c.ThroughputMBps),
		FileSystemTypeVersion:    pulumi.String("2.15"),
		DataCompressionType:      pulumi.String("LZ4"),
		SubnetIds:                m.SubnetIDs[0],
		SecurityGroupIds:         m.SecurityGroupIDs,
		Tags:                     m.tags(name),
	}, m.parent, pulumi.RetainOnDelete(c.Keep), pulumi.IgnoreChanges([]string{"subnetIds"}))
	if err != nil {
		return nil, err
	}
	m.made = append(m.made, fs)
	for i, r := range c.S3 {
		if err := m.repository(fmt.Sprintf("%s-s3-%d", name, i), fs, r, c.Keep); err != nil {
			return nil, err
		}
	}
	return fs.ID().ToStringOutput(), nil
}

// repository links a directory with a bucket: new and changed objects are seen as they come, deleted ones too;
// changes are written back where the config says so.
func (m *maker) repository(name string, fs *fsx.LustreFileSystem, r config.DataRepository, keep bool) error {
	events := pulumi.ToStringArray([]string{"NEW", "CHANGED", "DELETED"})
	s3 := fsx.DataRepositoryAssociationS3Args{
		AutoImportPolicy: fsx.DataRepositoryAssociationS3AutoImportPolicyArgs{Events: events},
	}
	if r.Export {
		s3.AutoExportPolicy = fsx.DataRepositoryAssociationS3AutoExportPolicyArgs{Events: events}
	}
	link, err := fsx.NewDataRepositoryAssociation(m.ctx, name, &fsx.DataRepositoryAssociationArgs{
		FileSystemId:       fs.ID().ToStringOutput(),
		FileSystemPath:     pulumi.String(r.Path),
		DataRepositoryPath: pulumi.String(r.Bucket),
		S3:                 s3,
		Tags:               m.tags(name),
	}, m.parent, pulumi.RetainOnDelete(keep))
	m.made = append(m.made, link)
	return err
}

func (m *maker) efs(name string, c config.EFS) (pulumi.StringInput, error) {
	fs, err := efs.NewFileSystem(m.ctx, name, &efs.FileSystemArgs{
		Encrypted: pulumi.Bool(true), ThroughputMode: pulumi.String("elastic"), Tags: m.tags(name),
	}, m.parent, pulumi.RetainOnDelete(c.Keep))
	if err != nil {
		return nil, err
	}
	m.made = append(m.made, fs)
	parts := []any{fs.ID().ToStringOutput()}
	for i, subnet := range m.SubnetIDs {
		target, err := efs.NewMountTarget(m.ctx, name+"-"+m.subnetName(i), &efs.MountTargetArgs{
			FileSystemId: fs.ID().ToStringOutput(), SubnetId: subnet, SecurityGroups: m.SecurityGroupIDs,
		}, m.parent, pulumi.RetainOnDelete(c.Keep))
		if err != nil {
			return nil, err
		}
		m.made = append(m.made, target)
		parts = append(parts, target.URN())
	}
	// Whoever mounts it waits for the mount targets, and goes before they do.
	return pulumi.All(parts...).ApplyT(func(v []any) string {
		return fmt.Sprint(v[0])
	}).(pulumi.StringOutput), nil //nolint:forcetypeassert // ApplyT of a function to string gives no other output
}

func (a *Args) subnetName(i int) string {
	if len(a.SubnetNames) > 0 {
		return a.SubnetNames[i]
	}
	return strconv.Itoa(i)
}

func (a *Args) tags(name string) pulumi.StringMap {
	tags := pulumi.ToStringMap(a.Tags)
	tags["Name"] = pulumi.String(name)
	return tags
}
