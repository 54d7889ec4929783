package main

import (
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/spf13/cobra"

	"github.com/weft-hpc/weft/account/inventory"
)

// dump writes what the account holds, for --account.
func (o *checkOptions) dump(c *cobra.Command) error {
	options := []func(*awsconfig.LoadOptions) error{}
	if o.region != "" {
		options = append(options, awsconfig.WithRegion(o.region))
	}
	if o.profile != "" {
		options = append(options, awsconfig.WithSharedConfigProfile(o.profile))
	}
	cfg, err := awsconfig.LoadDefaultConfig(c.Context(), options...)
	if err != nil {
		return fmt.Errorf("loading the AWS configuration: %w", err)
	}
	if cfg.Region == "" {
		return errors.New("--dump-account needs a Region: --region, AWS_REGION or the profile's")
	}
	if cfg.RetryMode == "" {
		cfg.RetryMode = aws.RetryModeAdaptive
	}
	answers, err := inventory.Read(c.Context(), ec2.NewFromConfig(cfg))
	if err != nil {
		return fmt.Errorf("reading the account: %w", err)
	}
	return writeJSON(c.OutOrStdout(), answers)
}
