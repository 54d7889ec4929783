package catalog

import (
	"fmt"
	"slices"

	"github.com/weft-hpc/weft/fabric/version"
)

// Denied is a range of versions known to be bad.
type Denied struct {
	Component Component
	From      string // first bad version
	Below     string // first version after the bad ones; empty: From alone is bad
	Reason    string
	Fixed     string // version to take instead: the first without the fault where a source names it, else one that AWS recommends or ships later
	Source    Source
}

// Denylist lists the versions known to be bad.
func Denylist() []Denied { return slices.Clone(denyTable) }

// Covers reports whether a version is in the range.
func (d Denied) Covers(v version.Version) bool {
	from := version.MustParse(d.From)
	if d.Below == "" {
		return v.Compare(from) == 0
	}
	return v.AtLeast(from) && !v.AtLeast(version.MustParse(d.Below))
}

// Range gives "1.35.0" or "1.18.0 up to, not with, 1.20.0".
func (d Denied) Range() string {
	if d.Below == "" {
		return d.From
	}
	return fmt.Sprintf("%s up to, not with, %s", d.From, d.Below)
}

var broadcastHang = Source{"aws/deep-learning-containers pull request 6668", factsRead}

var denyTable = []Denied{
	{
		Component: EFAInstaller, From: "1.7.1", Fixed: "1.24.1",
		Reason: "bandwidth fell from 104 to 65 Gbps against 1.7.0",
		Source: Source{"aws/aws-ofi-nccl issue 33", factsRead},
	},
	{
		Component: EFAInstaller, From: "1.35.0", Fixed: "1.36.0",
		Reason: "slower; the fix at the time was aws-ofi-nccl 1.12.1",
		Source: Source{"awslabs/awsome-distributed-ai pull request 466", factsRead},
	},
	{
		Component: EFAInstaller, From: "1.47.0", Below: "1.49.0", Fixed: "1.49.0",
		Reason: "its aws-ofi-nccl (1.18.0, and 1.19.0 before the fix) hangs on large broadcasts between nodes",
		Source: broadcastHang,
	},
	{
		Component: OFIPlugin, From: "1.18.0", Below: "1.20.0", Fixed: "1.20.0",
		Reason: "hangs on large broadcasts between nodes: found in 1.18.0, fixed in 1.20.0",
		Source: broadcastHang,
	},
}
