package mirror

import (
	"fmt"
	"slices"

	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/standin"
)

func (a *adder) lustre(id string, r standin.Resource) error {
	capacity, _ := r.Outputs.Number("storageCapacity")
	put(&a.world.FileSystems, account.FileSystem{
		ID: id, Kind: account.Lustre, Subnets: r.Inputs.Texts("subnetIds"), SecurityGroups: r.Inputs.Texts("securityGroupIds"),
		Capacity: capacity, Deployment: r.Outputs.Text("deploymentType"), MountName: r.Outputs.Text("mountName"),
	}, func(f account.FileSystem) bool { return f.ID == id })
	return nil
}

func (a *adder) efs(id string, _ standin.Resource) error {
	put(&a.world.FileSystems, account.FileSystem{ID: id, Kind: account.EFS}, func(f account.FileSystem) bool { return f.ID == id })
	return nil
}

// mountTarget adds a subnet to its file system. In the account all targets of a file system have the same groups.
func (a *adder) mountTarget(_ string, r standin.Resource) error {
	of := r.Inputs.Text("fileSystemId")
	at := slices.IndexFunc(a.world.FileSystems, func(f account.FileSystem) bool { return f.ID == of })
	if at < 0 {
		return fmt.Errorf("its file system %s is not there", of)
	}
	f, groups := &a.world.FileSystems[at], r.Inputs.Texts("securityGroups")
	if len(f.Subnets) > 0 && !slices.Equal(f.SecurityGroups, groups) {
		return fmt.Errorf("it has the groups %v, another target of %s has %v", groups, of, f.SecurityGroups)
	}
	f.Subnets = append(f.Subnets, r.Inputs.Text("subnetId"))
	f.SecurityGroups = groups
	return nil
}

func (a *adder) bucket(id string, _ standin.Resource) error {
	bucket := account.Bucket{Name: id}
	_, bucket.Versioning = a.made.Get("aws:s3/bucketVersioningV2:BucketVersioningV2", id)
	put(&a.world.Buckets, bucket, func(b account.Bucket) bool { return b.Name == id })
	return nil
}

func (a *adder) object(_ string, r standin.Resource) error {
	in := r.Inputs.Text("bucket")
	at := slices.IndexFunc(a.world.Buckets, func(b account.Bucket) bool { return b.Name == in })
	if at < 0 {
		return fmt.Errorf("its bucket %s is not there", in)
	}
	if a.world.Buckets[at].Objects == nil {
		a.world.Buckets[at].Objects = map[string]string{}
	}
	a.world.Buckets[at].Objects[r.Inputs.Text("key")] = r.Inputs.Text("content")
	return nil
}

func (a *adder) policy(_ string, r standin.Resource) error {
	arn := r.Outputs.Text("arn")
	put(&a.world.Policies, account.Policy{ARN: arn, Document: r.Inputs.Text("policy")}, func(p account.Policy) bool { return p.ARN == arn })
	return nil
}

func (a *adder) role(_ string, r standin.Resource) error {
	arn := r.Outputs.Text("arn")
	put(&a.world.Roles, account.Role{ARN: arn}, func(r account.Role) bool { return r.ARN == arn })
	return nil
}
