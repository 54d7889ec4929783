// Package bootscript is the Pulumi component of the scripts that nodes run at boot: a bucket of their own, and each
// script in it under a name that changes with its content.
//
// A running cluster's configuration names its scripts. An update registers changed ones as new objects, then updates
// the cluster, and only then deletes those that nothing names any more: Pulumi's own order. An update that fails in
// between leaves both, so that the cluster boots nodes with either.
package bootscript

import (
	"encoding/json"
	"fmt"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/s3"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/weft-hpc/weft/bootstrap"
)

// Token is the component's type.
const Token = "weft:index:BootScripts"

// Args of the scripts.
type Args struct {
	// Bucket is what the bucket's name begins with: lower case, at most 55 characters. Pulumi adds eight.
	Bucket string `pulumi:"bucket"`
	// Scripts that the bucket holds, each under its key.
	Scripts []bootstrap.Script `pulumi:"scripts"`
	// Tags of the bucket.
	Tags map[string]string `pulumi:"tags"`
}

// BootScripts is the component.
type BootScripts struct {
	pulumi.ResourceState

	// BucketName of the bucket. Whoever uses it waits until the scripts are in it and nobody else can reach them.
	BucketName pulumi.StringOutput `pulumi:"bucketName"`
}

// New registers the component.
func New(ctx *pulumi.Context, name string, args *Args, opts ...pulumi.ResourceOption) (*BootScripts, error) {
	if args == nil {
		return nil, fmt.Errorf("arguments of %s: none", name)
	}
	c := &BootScripts{}
	if err := ctx.RegisterComponentResource(Token, name, c, opts...); err != nil {
		return nil, fmt.Errorf("registering %s: %w", name, err)
	}
	b := &builder{ctx: ctx, name: name, args: args, parent: pulumi.Parent(c)}
	for _, step := range []func() error{b.makeBucket, b.version, b.encrypt, b.blockPublic, b.demandTLS, b.putScripts} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	c.BucketName = b.nameAfterAll()
	return c, ctx.RegisterResourceOutputs(c, pulumi.Map{"bucketName": c.BucketName})
}

// builder registers the bucket and what belongs to it.
type builder struct {
	ctx    *pulumi.Context
	name   string
	args   *Args
	parent pulumi.ResourceOption

	bucket  *s3.BucketV2
	shut    *s3.BucketPublicAccessBlock
	ordered *s3.BucketVersioningV2
	made    []pulumi.Resource
}

// keep adds a resource to those that must be there before a node boots.
func (b *builder) keep(what string, r pulumi.Resource, err error) error {
	if err != nil {
		return fmt.Errorf("registering the %s of %s: %w", what, b.name, err)
	}
	b.made = append(b.made, r)
	return nil
}

// nameAfterAll is the bucket's name, and depends on everything that was made. The name itself is known as soon as the
// bucket exists, as the URNs are before anything does: a preview of a changed script shows what changes in the cluster's
// configuration.
func (b *builder) nameAfterAll() pulumi.StringOutput {
	inputs := []any{b.bucketName()}
	for _, r := range b.made {
		inputs = append(inputs, r.URN())
	}
	return pulumi.All(inputs...).ApplyT(func(values []any) string {
		return fmt.Sprint(values[0])
	}).(pulumi.StringOutput) //nolint:forcetypeassert // ApplyT of a function to string gives no other output
}

func (b *builder) bucketName() pulumi.StringOutput { return b.bucket.ID().ToStringOutput() }

// makeBucket: the bucket holds what weft renders and nothing else, and old versions of it, which nobody misses once the
// cluster is gone. Without ForceDestroy they would hold up a destroy at its very end.
func (b *builder) makeBucket() error {
	var err error
	b.bucket, err = s3.NewBucketV2(b.ctx, b.args.Bucket, &s3.BucketV2Args{
		ForceDestroy: pulumi.Bool(true), Tags: pulumi.ToStringMap(b.args.Tags),
	}, b.parent)
	return b.keep("bucket", b.bucket, err)
}

func (b *builder) version() error {
	var err error
	b.ordered, err = s3.NewBucketVersioningV2(b.ctx, b.args.Bucket, &s3.BucketVersioningV2Args{
		Bucket:                  b.bucketName(),
		VersioningConfiguration: s3.BucketVersioningV2VersioningConfigurationArgs{Status: pulumi.String("Enabled")},
	}, b.parent)
	return b.keep("versioning", b.ordered, err)
}

// encrypt: with S3's own keys. A KMS key would need a grant of its own on every node, and the scripts hold no secret.
func (b *builder) encrypt() error {
	r, err := s3.NewBucketServerSideEncryptionConfigurationV2(b.ctx, b.args.Bucket, &s3.BucketServerSideEncryptionConfigurationV2Args{
		Bucket: b.bucketName(),
		Rules: s3.BucketServerSideEncryptionConfigurationV2RuleArray{s3.BucketServerSideEncryptionConfigurationV2RuleArgs{
			ApplyServerSideEncryptionByDefault: s3.BucketServerSideEncryptionConfigurationV2RuleApplyServerSideEncryptionByDefaultArgs{
				SseAlgorithm: pulumi.String("AES256"),
			},
		}},
	}, b.parent)
	return b.keep("encryption", r, err)
}

func (b *builder) blockPublic() error {
	var err error
	b.shut, err = s3.NewBucketPublicAccessBlock(b.ctx, b.args.Bucket, &s3.BucketPublicAccessBlockArgs{
		Bucket:          b.bucketName(),
		BlockPublicAcls: pulumi.Bool(true), BlockPublicPolicy: pulumi.Bool(true),
		IgnorePublicAcls: pulumi.Bool(true), RestrictPublicBuckets: pulumi.Bool(true),
	}, b.parent)
	return b.keep("public access block", b.shut, err)
}

// demandTLS comes after the block: S3 takes one change of a bucket's access at a time (OperationAborted).
func (b *builder) demandTLS() error {
	r, err := s3.NewBucketPolicy(b.ctx, b.args.Bucket, &s3.BucketPolicyArgs{
		Bucket: b.bucketName(),
		Policy: b.bucket.Arn.ApplyT(tlsOnly),
	}, b.parent, pulumi.DependsOn([]pulumi.Resource{b.shut}))
	return b.keep("policy", r, err)
}

// tlsOnly refuses requests without TLS (Amazon S3 User Guide, security best practices: aws:SecureTransport).
func tlsOnly(arn string) (string, error) {
	text, err := json.Marshal(map[string]any{
		"Version": "2012-10-17",
		"Statement": []any{map[string]any{
			"Sid": "OnlyTLS", "Effect": "Deny", "Principal": "*", "Action": "s3:*", "Resource": []string{arn, arn + "/*"},
			"Condition": map[string]any{"Bool": map[string]string{"aws:SecureTransport": "false"}},
		}},
	})
	if err != nil {
		return "", fmt.Errorf("writing the policy of %s: %w", arn, err)
	}
	return string(text), nil
}

// putScripts waits for versioning: an object that is older than it has no version.
func (b *builder) putScripts() error {
	for _, s := range b.args.Scripts {
		name := fmt.Sprintf("%s-%s-%.12s", b.name, s.Name, s.SHA256)
		r, err := s3.NewBucketObjectv2(b.ctx, name, &s3.BucketObjectv2Args{
			Bucket: b.bucketName(), Key: pulumi.String(s.Key()),
			Content: pulumi.String(s.Content), SourceHash: pulumi.String(s.SHA256),
			ContentType: pulumi.String("text/x-shellscript"),
		}, b.parent, pulumi.DependsOn([]pulumi.Resource{b.ordered}))
		if err := b.keep("script "+string(s.Name), r, err); err != nil {
			return err
		}
	}
	return nil
}
