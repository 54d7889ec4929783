package main

import (
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/spf13/cobra"

	"github.com/weft-hpc/weft/account/inventory"
)

// dump writes what the account holds, for --account.
func (o *checkOptions) dump(c *cobra.Command) error {
	cfg, err := awsConfig(c.Context(), o.region, o.profile)
	if err != nil {
		return err
	}
	if cfg.Region == "" {
		return errors.New("--dump-account needs a Region: --region, AWS_REGION or the profile's")
	}
	answers, err := inventory.Read(c.Context(), ec2.NewFromConfig(cfg))
	if err != nil {
		return fmt.Errorf("reading the account: %w", err)
	}
	return writeJSON(c.OutOrStdout(), answers)
}
