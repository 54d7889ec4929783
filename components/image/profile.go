package image

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/weft-hpc/weft/components/parallelcluster/pcconfig"
)

// instanceProfile is the name of the machine's profile: the recipe's, or one that is made with what a build needs and no more.
func (b *builder) instanceProfile() (pulumi.StringInput, error) {
	if arn := b.documents.Infrastructure.InstanceProfile; arn != "" {
		return pulumi.String(path.Base(arn)), nil
	}
	partition, suffix := pcconfig.Partition(b.args.region())
	role, err := iam.NewRole(b.ctx, b.name+"-build", &iam.RoleArgs{AssumeRolePolicy: pulumi.String(fmt.Sprintf(assume, suffix)), Tags: b.tags()}, b.parent)
	if err != nil {
		return nil, fmt.Errorf("registering the role of the build of %s: %w", b.name, err)
	}
	for _, policy := range []string{"EC2InstanceProfileForImageBuilder", "AmazonSSMManagedInstanceCore"} {
		attached, err := iam.NewRolePolicyAttachment(b.ctx, b.name+"-build-"+policy, &iam.RolePolicyAttachmentArgs{
			Role: role.Name, PolicyArn: pulumi.String("arn:" + partition + ":iam::aws:policy/" + policy),
		}, b.parent)
		if err != nil {
			return nil, fmt.Errorf("attaching %s: %w", policy, err)
		}
		b.grants = append(b.grants, attached)
	}
	if err := b.grantObjects(role, partition); err != nil {
		return nil, err
	}
	profile, err := iam.NewInstanceProfile(b.ctx, b.name+"-build", &iam.InstanceProfileArgs{Role: role.Name, Tags: b.tags()}, b.parent)
	if err != nil {
		return nil, fmt.Errorf("registering the instance profile of the build of %s: %w", b.name, err)
	}
	return profile.Name, nil
}

const assume = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"ec2.%s"},"Action":"sts:AssumeRole"}]}`

// grantObjects lets the machine read the objects that the lock names, each by its key.
func (b *builder) grantObjects(role *iam.Role, partition string) error {
	objects := b.objects(partition)
	if len(objects) == 0 {
		return nil
	}
	policy, err := json.Marshal(map[string]any{
		"Version": "2012-10-17", "Statement": []any{map[string]any{"Effect": "Allow", "Action": "s3:GetObject", "Resource": objects}},
	})
	if err != nil {
		return fmt.Errorf("writing the policy of the build of %s: %w", b.name, err)
	}
	granted, err := iam.NewRolePolicy(b.ctx, b.name+"-build", &iam.RolePolicyArgs{Role: role.Name, Policy: pulumi.String(string(policy))}, b.parent)
	if err != nil {
		return fmt.Errorf("registering the policy of the build of %s: %w", b.name, err)
	}
	b.grants = append(b.grants, granted)
	return nil
}

// objects are the ARNs of what the build reads from S3, sorted.
func (b *builder) objects(partition string) []string {
	var out []string
	for _, s := range b.args.Image.Steps {
		for _, a := range s.Artifacts {
			if key, ok := strings.CutPrefix(a.URL, "s3://"); ok {
				out = append(out, "arn:"+partition+":s3:::"+key)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
