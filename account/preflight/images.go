package preflight

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
)

const (
	actImages    = "ec2:DescribeImages"
	actOfferings = "ec2:DescribeInstanceTypeOfferings"
)

// boot says that nodes boot an image: a group of the plan, or the head and login nodes.
type boot struct {
	image string
	path  string // in the config
	who   string // "group train", "the head node"
	arch  string // of the nodes; empty: not known
	gpus  bool   // whether they have NVIDIA GPUs
}

// boots lists who boots an image of the user's own. Nodes on the official image, or on one that is built from a
// recipe, name none.
func boots(p plan.Cluster) []boot {
	var out []boot
	if ami := p.Config.Image.AMI; ami != "" {
		arch, _ := catalog.Architecture(p.Config.HeadNode.InstanceType)
		out = append(out, boot{image: ami, path: "image.ami", who: "the head node", arch: arch})
	}
	for i, g := range p.Groups {
		if image, path := groupImage(p, i); image != "" {
			out = append(out, boot{image: image, path: path, who: "group " + g.Name, arch: g.Architecture, gpus: g.Healthy.Kind == "gpu"})
		}
	}
	return out
}

// groupImage is the image of a group: its own, else the cluster's. Empty where the nodes boot no image with an id.
func groupImage(p plan.Cluster, group int) (id, path string) {
	if own := p.Config.Groups[group].Image; own != nil {
		return own.AMI, groupPath(group) + ".image.ami"
	}
	return p.Config.Image.AMI, "image.ami"
}

// imageUses lists the images, each once, at the first place that names it.
func imageUses(p plan.Cluster) []use {
	var out []use
	for _, b := range boots(p) {
		out = named(out, use{b.image, b.path})
	}
	return out
}

func loadImages(ctx context.Context, c Clients, r Request, o *Observed) (err error) {
	p := ec2.NewDescribeImagesPaginator(c.EC2, &ec2.DescribeImagesInput{
		Filters: []types.Filter{by("image-id", ids(imageUses(r.Plan))...)},
		// Without these an image that nobody may launch any more would look like one that never was.
		IncludeDeprecated: aws.Bool(true), IncludeDisabled: aws.Bool(true),
	})
	o.Images, err = pages(ctx, actImages, p, func(page *ec2.DescribeImagesOutput) []Image {
		var out []Image
		for i := range page.Images {
			m := &page.Images[i]
			out = append(out, Image{
				ID: aws.ToString(m.ImageId), Name: aws.ToString(m.Name), Amazon: aws.ToString(m.ImageOwnerAlias) == "amazon",
				State: string(m.State), Architecture: string(m.Architecture), Platform: aws.ToString(m.PlatformDetails),
				Tags: tags(m.Tags),
			})
		}
		return out
	})
	return err
}

// instanceTypes lists the types that nodes have, each once.
func instanceTypes(p plan.Cluster) []string {
	var out []string
	for _, s := range standings(p) {
		if s.instanceType != "" && !slices.Contains(out, s.instanceType) {
			out = append(out, s.instanceType)
		}
	}
	return out
}

// loadOfferings lists the zones that offer the types: by name, and by id as well where the plan names a zone by its id.
func loadOfferings(ctx context.Context, c Clients, r Request, o *Observed) error {
	kinds := []types.LocationType{types.LocationTypeAvailabilityZone}
	if slices.ContainsFunc(standings(r.Plan), func(s standing) bool { return config.IsZoneID(s.zone) }) {
		kinds = append(kinds, types.LocationTypeAvailabilityZoneId)
	}
	for _, kind := range kinds {
		p := ec2.NewDescribeInstanceTypeOfferingsPaginator(c.EC2, &ec2.DescribeInstanceTypeOfferingsInput{
			LocationType: kind, Filters: []types.Filter{by("instance-type", instanceTypes(r.Plan)...)},
		})
		found, err := pages(ctx, actOfferings, p, func(page *ec2.DescribeInstanceTypeOfferingsOutput) []Offering {
			var out []Offering
			for _, f := range page.InstanceTypeOfferings {
				out = append(out, Offering{Type: string(f.InstanceType), Zone: aws.ToString(f.Location)})
			}
			return out
		})
		if err != nil {
			return err
		}
		o.Offerings = append(o.Offerings, found...)
	}
	return nil
}
