package preflight

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/servicequotas"

	"github.com/weft-hpc/weft/account/awserror"
	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/plan"
)

const (
	actQuota        = "servicequotas:GetServiceQuota"
	actDefaultQuota = "servicequotas:GetAWSDefaultServiceQuota"
	actVPCs         = "ec2:DescribeVpcs"
	actAddresses    = "ec2:DescribeAddresses"
)

// quotaKey names a quota as Service Quotas does.
type quotaKey struct{ service, code, name string }

// Quotas of a network that weft makes.
var (
	quotaVPCs      = quotaKey{"vpc", "L-F678F1CE", "VPCs per Region"}
	quotaAddresses = quotaKey{"ec2", "L-0263D0A3", "EC2-VPC Elastic IPs"}
)

// Quotas of running on-demand instances, in vCPUs, by the letters that an instance family begins with (EC2 User
// Guide, "Amazon EC2 instance type quotas"; codes as Service Quotas lists them).
var instanceQuotas = map[string]quotaKey{
	"dl":  {"ec2", "L-6E869C2A", "Running On-Demand DL instances"},
	"f":   {"ec2", "L-74FC7D96", "Running On-Demand F instances"},
	"g":   {"ec2", "L-DB2E81BA", "Running On-Demand G and VT instances"},
	"gr":  {"ec2", "L-DB2E81BA", "Running On-Demand G and VT instances"},
	"hpc": {"ec2", "L-F7808C92", "Running On-Demand HPC instances"},
	"inf": {"ec2", "L-1945791B", "Running On-Demand Inf instances"},
	"p":   {"ec2", "L-417A185B", "Running On-Demand P instances"},
	"trn": {"ec2", "L-2C3B7624", "Running On-Demand Trn instances"},
	"vt":  {"ec2", "L-DB2E81BA", "Running On-Demand G and VT instances"},
	"x":   {"ec2", "L-7295265B", "Running On-Demand X instances"},
}

// demand is what a plan asks of one quota.
type demand struct {
	quotaKey
	amount int
	groups []int // of the plan; empty for the network
}

// demands lists the quotas that bind: vCPUs of groups on demand, and what a network that is made adds. Instances of a
// block do not count against these quotas, and those of an on-demand reservation counted when it was made.
func demands(p plan.Cluster) []demand {
	var out []demand
	for i, g := range p.Groups {
		t, known := catalog.Instance(g.InstanceType)
		key, bound := instanceQuotas[familyLetters(g.InstanceType)]
		if g.Capacity.Key() != "" || !known || !bound {
			continue
		}
		at := slices.IndexFunc(out, func(d demand) bool { return d.code == key.code })
		if at < 0 {
			at = len(out)
			out = append(out, demand{quotaKey: key})
		}
		out[at].amount += g.Nodes * t.VCPUs
		out[at].groups = append(out[at].groups, i)
	}
	if p.Network.Create {
		out = append(out, demand{quotaKey: quotaVPCs, amount: 1}, demand{quotaKey: quotaAddresses, amount: elasticIPs(p)})
	}
	return out
}

// elasticIPs is one for the NAT gateway, and one for the head node where it is to have a fixed address.
func elasticIPs(p plan.Cluster) int {
	if p.Config.HeadNode.ElasticIP {
		return 2
	}
	return 1
}

func familyLetters(instanceType string) string {
	digit := strings.IndexAny(instanceType, "0123456789")
	return instanceType[:max(digit, 0)]
}

func loadQuotas(ctx context.Context, c Clients, r Request, o *Observed) error {
	for _, d := range demands(r.Plan) {
		value, err := quotaValue(ctx, c.Quotas, d.quotaKey)
		switch {
		case awserror.IsNotFound(err): // the check says so
		case err != nil:
			return err
		default:
			o.Quotas = append(o.Quotas, Quota{Service: d.service, Code: d.code, Value: value})
		}
	}
	return nil
}

// quotaValue is the applied value of a quota, or AWS's default where the account has none applied.
func quotaValue(ctx context.Context, c Quotas, key quotaKey) (float64, error) {
	applied, err := c.GetServiceQuota(ctx, &servicequotas.GetServiceQuotaInput{
		ServiceCode: aws.String(key.service), QuotaCode: aws.String(key.code),
	})
	if err != nil && !awserror.IsNotFound(err) {
		return 0, failed(actQuota, err)
	}
	if err == nil && applied.Quota != nil {
		return aws.ToFloat64(applied.Quota.Value), nil
	}
	standard, err := c.GetAWSDefaultServiceQuota(ctx, &servicequotas.GetAWSDefaultServiceQuotaInput{
		ServiceCode: aws.String(key.service), QuotaCode: aws.String(key.code),
	})
	if err == nil && standard.Quota == nil {
		err = errors.New("an answer without a quota")
	}
	if err != nil {
		return 0, failed(actDefaultQuota, err)
	}
	return aws.ToFloat64(standard.Quota.Value), nil
}

func loadUsage(ctx context.Context, c Clients, _ Request, o *Observed) error {
	vpcs, err := pages(ctx, actVPCs, ec2.NewDescribeVpcsPaginator(c.EC2, &ec2.DescribeVpcsInput{}), func(page *ec2.DescribeVpcsOutput) []string {
		var out []string
		for i := range page.Vpcs {
			out = append(out, aws.ToString(page.Vpcs[i].CidrBlock))
		}
		return out
	})
	if err != nil {
		return err
	}
	// DescribeAddresses gives everything in one answer: it has no pages.
	addresses, err := c.EC2.DescribeAddresses(ctx, &ec2.DescribeAddressesInput{})
	if err != nil {
		return failed(actAddresses, err)
	}
	o.Usage = &Usage{VPCs: vpcs, Addresses: len(addresses.Addresses)}
	return nil
}
