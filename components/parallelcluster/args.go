package parallelcluster

import (
	"errors"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/weft-hpc/weft/bootstrap"
	"github.com/weft-hpc/weft/components/parallelcluster/pcconfig"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
)

// Args are the inputs of a cluster. The plan decides its shape and is plain; ids of resources are inputs. An id that the plan
// knows, of a network, reservation, image or file system that exists, may be left out.
type Args struct {
	// Plan of the cluster, without findings at error level.
	Plan plan.Cluster `pulumi:"plan"`
	// HeadSubnetID of the head node.
	HeadSubnetID pulumi.StringInput `pulumi:"headSubnetId,optional"`
	// LoginSubnetID of the login nodes.
	LoginSubnetID pulumi.StringInput `pulumi:"loginSubnetId,optional"`
	// ComputeSubnetIDs by group.
	ComputeSubnetIDs map[string]pulumi.StringInput `pulumi:"computeSubnetIds,optional"`
	// ClusterSecurityGroupID is the group whose members reach each other with all traffic, by its own id. Needed
	// unless the plan names existing groups.
	ClusterSecurityGroupID pulumi.StringInput `pulumi:"clusterSecurityGroupId,optional"`
	// Templates by group, for groups whose interfaces the plan overrides.
	Templates map[string]Template `pulumi:"templates,optional"`
	// ImageID of an image of the cluster that is built in the same stack, ImageIDs those of groups.
	ImageID  pulumi.StringInput            `pulumi:"imageId,optional"`
	ImageIDs map[string]pulumi.StringInput `pulumi:"imageIds,optional"`
	// ReservationIDs by group, of blocks that are bought in the same stack.
	ReservationIDs map[string]pulumi.StringInput `pulumi:"reservationIds,optional"`
	// FileSystemIDs by the name of the storage, of EFS and FSx for Lustre file systems.
	FileSystemIDs map[string]pulumi.StringInput `pulumi:"fileSystemIds,optional"`
	// BootBucket is the name of the bucket that holds the scripts of pcconfig.BootActions, as component bootscript makes it.
	// Needed where the plan's nodes run any.
	BootBucket pulumi.StringInput `pulumi:"bootBucket,optional"`
	// Keep the cluster when the stack is destroyed.
	Keep bool `pulumi:"keep,optional"`
}

// Template is a version of a launch template.
type Template struct {
	ID      pulumi.StringInput `pulumi:"id"`
	Version pulumi.IntInput    `pulumi:"version"`
}

// validate finds every fault of the plain values before anything is registered: an error inside an ApplyT can get lost.
func (a Args) validate() error {
	if err := whole(a.Plan); err != nil {
		return err
	}
	return errors.Join(append(a.missing(), findings(a.Plan)...)...)
}

// Check names everything of a plan that no configuration can say, as New does.
func Check(p plan.Cluster) error {
	if err := whole(p); err != nil {
		return err
	}
	return errors.Join(findings(p)...)
}

// whole refuses a plan that came without its config: JSON does not carry it.
func whole(p plan.Cluster) error {
	if groups, config := len(p.Groups), len(p.Config.Groups); groups != config {
		return fmt.Errorf("plan has %d groups and its config %d: take it as plan.New gives it", groups, config)
	}
	return nil
}

// missing names the ids that neither the plan nor the arguments have. The configuration would show a placeholder in their
// place.
func (a Args) missing() []error {
	out := a.missingOfCluster()
	for i := range a.Plan.Groups {
		out = append(out, a.missingOfGroup(i)...)
	}
	for _, s := range a.Plan.Config.Storage {
		if isMade(s) && a.FileSystemIDs[s.Name] == nil {
			out = append(out, fmt.Errorf("fileSystemIds.%s is missing: the plan makes the file system", s.Name))
		}
	}
	return out
}

func (a Args) missingOfCluster() []error {
	p := a.Plan
	return faults("", []fault{
		{p.Network.Head == "" && a.HeadSubnetID == nil, "headSubnetId", "the plan makes the network"},
		{len(p.Config.LoginNodes) > 0 && p.Network.Login == "" && a.LoginSubnetID == nil, "loginSubnetId", "the plan makes the network"},
		{len(p.Network.SecurityGroups) == 0 && a.ClusterSecurityGroupID == nil, "clusterSecurityGroupId", "the plan names no existing groups"},
		{p.Config.Image.Recipe != "" && a.ImageID == nil, "imageId", "the plan builds the image"},
		{len(bootstrap.Scripts(pcconfig.BootActions(p))) > 0 && a.BootBucket == nil, "bootBucket", "nodes of the plan run scripts from it"},
	})
}

func (a Args) missingOfGroup(i int) []error {
	g, image, template := a.Plan.Groups[i], a.Plan.Config.Groups[i].Image, a.Templates[a.Plan.Groups[i].Name]
	bought := g.Capacity.Market == plan.CapacityBlock && g.Capacity.Reservation == ""
	return faults("."+g.Name, []fault{
		{g.Subnet == "" && a.ComputeSubnetIDs[g.Name] == nil, "computeSubnetIds", "the plan makes the network"},
		{bought && a.ReservationIDs[g.Name] == nil, "reservationIds", "the plan buys the block"},
		{g.Rendering.Override && (template.ID == nil || template.Version == nil), "templates", "the plan overrides the interfaces"},
		{image != nil && image.Recipe != "" && a.ImageIDs[g.Name] == nil, "imageIds", "the plan builds the image"},
	})
}

// fault is an argument that is missing, and why it is needed.
type fault struct {
	missing   bool
	name, why string
}

func faults(of string, list []fault) []error {
	var out []error
	for _, f := range list {
		if f.missing {
			out = append(out, fmt.Errorf("%s%s is missing: %s", f.name, of, f.why))
		}
	}
	return out
}

// isMade reports whether a file system is made in the same stack: all but volumes, which ParallelCluster makes, and existing ones.
func isMade(s config.Storage) bool {
	return s.EFS != nil && s.EFS.Existing == "" || s.FSxLustre != nil && s.FSxLustre.Existing == ""
}

// findings are faults of the configuration as it would be rendered.
func findings(p plan.Cluster) []error {
	var out []error
	for _, f := range pcconfig.Check(p).AtLeast(diag.Error) {
		out = append(out, fmt.Errorf("%s: %s: %s; wanted: %s; %s", f.Rule, f.Place, f.Got, f.Want, f.Hint))
	}
	return out
}
