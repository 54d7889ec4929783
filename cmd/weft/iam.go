package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-hpc/weft/components/parallelcluster/pcconfig"
	"github.com/weft-hpc/weft/components/permission"
)

func iamCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "iam",
		Short: "Write the IAM policies that weft needs",
		Long:  "Write the IAM policies that weft needs in an account, feature by feature.",
	}
	c.AddCommand(iamPolicyCommand())
	return c
}

type policyOptions struct {
	features, regions []string
	cluster, account  string
}

func iamPolicyCommand() *cobra.Command {
	var o policyOptions
	var names strings.Builder
	for _, f := range permission.Features() {
		fmt.Fprintf(&names, "  %-16s %s\n", f.Name, f.Does)
	}
	c := &cobra.Command{
		Use:   "policy [--feature NAME...]",
		Short: "Print the IAM policy that features need, and no more",
		Long: "Print the IAM policy that features need: the actions that they call, on the resources and in the Regions that IAM lets them be\n" +
			"narrowed to. With --cluster it is for one cluster: its Region, the names that weft makes for it, the parts that it has, the\n" +
			"checks that it does not skip. The features:\n\n" + names.String() +
			"\n`pulumi up` needs deploy and plan-preflight; capacity-buy where the config pins an offering, validate where it validates.\n" +
			"A managed policy holds 6,144 characters; a role takes several.",
		Example: "  weft iam policy --feature plan-preflight --feature validate --cluster cluster.yaml --account-id 111122223333\n" +
			"  weft iam policy --feature capacity-find,capacity-show --region us-east-2,us-west-2\n" +
			"  weft iam policy --feature capacity-buy --region us-east-2 > buy.json",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c) },
	}
	f := c.Flags()
	f.StringSliceVar(&o.features, "feature", nil, "feature; may be given several times; all when left out")
	f.StringVar(&o.cluster, "cluster", "", "cluster config that the policy is for")
	f.StringSliceVar(&o.regions, "region", nil, "Regions in which the features may be used; the config's, or any, when left out")
	f.StringVar(&o.account, "account-id", "", "id of the account; any when left out")
	_ = c.RegisterFlagCompletionFunc("feature", cobra.FixedCompletions(permission.Names(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (o *policyOptions) run(c *cobra.Command) error {
	features, err := o.find()
	if err != nil {
		return err
	}
	s, err := o.scope(c)
	if err != nil {
		return err
	}
	d := permission.Policy(s, features...)
	text, err := d.JSON()
	if err != nil {
		return err
	}
	if _, err := c.OutOrStdout().Write(text); err != nil {
		return fmt.Errorf("writing the policy: %w", err)
	}
	return remarks(c.ErrOrStderr(), d, features)
}

// find gives the features that are named, or all.
func (o *policyOptions) find() ([]permission.Feature, error) {
	if len(o.features) == 0 {
		return permission.Features(), nil
	}
	var out []permission.Feature
	for _, name := range o.features {
		f, ok := permission.Find(name)
		if !ok {
			return nil, fmt.Errorf("--feature %s is none of %s; did you mean %s?", name, strings.Join(permission.Names(), ", "), permission.Nearest(name))
		}
		out = append(out, f)
	}
	return out, nil
}

var (
	accountID  = regexp.MustCompile(`^[0-9]{12}$`)
	regionName = regexp.MustCompile(`^[a-z]{2}(-[a-z]+)+-[0-9]+$`)
)

func (o *policyOptions) scope(c *cobra.Command) (permission.Scope, error) {
	s := permission.Scope{Regions: o.regions, Account: o.account}
	if o.account != "" && !accountID.MatchString(o.account) {
		return s, fmt.Errorf("--account-id %s is no account's id: twelve digits", o.account)
	}
	for _, region := range o.regions {
		if !regionName.MatchString(region) {
			return s, fmt.Errorf("--region %s is no name of a Region such as us-east-2", region)
		}
		first, _ := pcconfig.Partition(o.regions[0])
		if other, _ := pcconfig.Partition(region); other != first {
			return s, fmt.Errorf("--region %s and %s lie in different partitions of AWS, %s and %s: no policy is for both", o.regions[0], region, first, other)
		}
	}
	if o.cluster == "" {
		return s, nil
	}
	p, err := soundFile(c, o.cluster)
	if err != nil {
		return s, err
	}
	s.Plan = &p
	return s, nil
}

// remarks says beside a policy what is to be known about it.
func remarks(w io.Writer, d permission.Document, features []permission.Feature) error {
	for _, f := range features {
		if f.Unverified == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s: %s\n", f.Name, f.Unverified); err != nil {
			return fmt.Errorf("writing remarks: %w", err)
		}
	}
	size, err := d.Size()
	if err == nil && size > permission.ManagedPolicySize {
		_, err = fmt.Fprintf(w, "the policy has %d characters, a managed policy holds %d: print its features one by one, and divide the statements of one that is still too long among several policies\n",
			size, permission.ManagedPolicySize)
	}
	if err != nil {
		return fmt.Errorf("writing remarks: %w", err)
	}
	return nil
}
