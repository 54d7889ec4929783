package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/fabric/diag"
)

// anyText draws one line of text, with what YAML might take for something else.
func anyText() *rapid.Generator[string] {
	odd := rapid.SampledFrom([]string{
		"3.20", "010", "0x1f", "1_000", "1e3", "true", "yes", "null", "~", "- a", "a: b", "#x", "x #y", "&a", "*a", "!t", "{", "[a]", "'", `"`, `\`, "%",
		"@", "`", "|", ">", "é ü", "日本", "…", "?", ": ", "<<", "=", ".nan", "-.inf", "2026-01-01", " lead", "trail ", "a\\nb", "---", "...", "a\u2028b",
	})
	return rapid.OneOf(rapid.StringMatching(`[a-zA-Z0-9][ -~]{0,20}`), odd)
}

func hexID(prefix string) *rapid.Generator[string] {
	return rapid.StringMatching(prefix + `([0-9a-f]{8}|[0-9a-f]{17})`)
}

func sometimes[T any](t *rapid.T, label string, g *rapid.Generator[T]) T {
	var zero T
	if rapid.Bool().Draw(t, "with "+label) {
		return g.Draw(t, label)
	}
	return zero
}

// anyCluster draws a cluster without faults. It fills keys at random; those of later rules follow from earlier ones.
func anyCluster() *rapid.Generator[Cluster] {
	return rapid.Custom(func(t *rapid.T) Cluster {
		c := Default()
		c.Name = anyText().Draw(t, "name")
		c.Region = "us-east-2"
		c.ParallelCluster = rapid.SampledFrom([]string{"3.16.1", "3.20", "3.14.2"}).Draw(t, "version")
		drawNetwork(t, &c)
		for i := range rapid.IntRange(1, 3).Draw(t, "groups") {
			c.Groups = append(c.Groups, anyGroup(i, c.Network.Create != nil).Draw(t, "group"))
		}
		for i := range rapid.IntRange(0, 2).Draw(t, "file systems") {
			c.Storage = append(c.Storage, anyStorage(i).Draw(t, "storage"))
		}
		c.HeadNode.ElasticIP = rapid.Bool().Draw(t, "elastic IP")
		c.HeadNode.Key = sometimes(t, "key", anyText())
		c.Image = sometimes(t, "image", anyImage())
		c.S3 = sometimes(t, "s3", rapid.Just([]S3Access{{Bucket: "some-data", Prefix: "a/*", Nodes: []string{"head"}}}))
		c.Tags = sometimes(t, "tags", rapid.MapOfN(rapid.Map(anyText(), func(s string) string { return "k" + s }), rapid.OneOf(anyText(), rapid.Just("")), 1, 4))
		c.Bootstrap.Compute.OnConfigured = sometimes(t, "scripts", rapid.SliceOfN(anyScript(), 1, 3))
		c.Bootstrap.NodeCheck = rapid.SampledFrom([]string{"enforce", "report"}).Draw(t, "node check")
		if rapid.Bool().Draw(t, "GDRCopy pinned") {
			c.Bootstrap.GDRCopy = &GDRCopyArchive{URL: "s3://some-archives/gdrcopy.tar.gz", SHA256: strings.Repeat("0a", 32), Version: "2.5.1"}
		}
		c.Workload.FP8Dispatch = rapid.Bool().Draw(t, "fp8")
		c.Workload.Container = sometimes(t, "container", anyText())
		c.Validation.Enabled = rapid.Bool().Draw(t, "validation")
		c.Validation.Thresholds.AllReduce = rapid.Float64Range(0, 1).Draw(t, "threshold")
		c.Monitoring.LogRetentionDays = rapid.SampledFrom([]int{1, 180, 3653}).Draw(t, "retention")
		c.Rules = sometimes(t, "rules", rapid.Just(map[diag.ID]diag.Override{diag.NICEFACount: {Level: diag.Note, Reason: "one card is broken"}}))
		c.Preflight.Skip = sometimes(t, "skip", rapid.Just(map[diag.ID]string{diag.BlockZone: "checked elsewhere"}))
		return c
	})
}

func drawNetwork(t *rapid.T, c *Cluster) {
	if rapid.Bool().Draw(t, "network made") {
		c.Network.Create = &NetworkCreate{CIDR: "10.2.0.0/18", HeadSubnet: rapid.SampledFrom([]string{"public", "private"}).Draw(t, "head subnet")}
		return
	}
	n := &NetworkExisting{VPC: hexID("vpc-").Draw(t, "vpc"), HeadSubnet: hexID("subnet-").Draw(t, "head subnet"), ComputeSubnet: hexID("subnet-").Draw(t, "subnet")}
	n.SecurityGroups = sometimes(t, "groups", rapid.SliceOfNDistinct(hexID("sg-"), 1, 3, rapid.ID[string]))
	c.Network.Existing = n
}

func anyGroup(i int, zoned bool) *rapid.Generator[Group] {
	return rapid.Custom(func(t *rapid.T) Group {
		var g Group
		SetDefaults(&g)
		g.Name = fmt.Sprintf("g%d", i)
		g.InstanceType = "p5.48xlarge"
		g.Count = rapid.IntRange(1, 10000).Draw(t, "count")
		g.Zone = sometimes(t, "zone", rapid.Just("use2-az1"))
		if zoned {
			g.Zone = "us-east-2a"
		}
		g.EFA = rapid.Bool().Draw(t, "efa")
		g.Layout = rapid.SampledFrom([]string{"save-addresses", "most-bandwidth"}).Draw(t, "layout")
		g.Image = rapid.Ptr(anyImage(), true).Draw(t, "image")
		g.Capacity = anyCapacity().Draw(t, "capacity")
		if g.Capacity.Block == nil {
			g.MinCount = rapid.IntRange(0, g.Count).Draw(t, "minCount")
		}
		return g
	})
}

func anyCapacity() *rapid.Generator[Capacity] {
	return rapid.Custom(func(t *rapid.T) Capacity {
		reservation := hexID("cr-").Draw(t, "reservation")
		offering := &Offering{
			ID: "cb-0123456789abcdefg", Count: 16, DurationHours: 336, Start: "2026-12-07T11:30:00Z", Fee: "1234.50", MaxFee: "1234.5",
			Currency: rapid.SampledFrom([]string{"USD", "EUR"}).Draw(t, "currency"), ConfirmedUntil: "2026-12-01T00:00:00+01:00",
		}
		return rapid.SampledFrom([]Capacity{
			{OnDemand: true}, {Reservation: reservation}, {Block: &Block{Reservation: reservation}}, {Block: &Block{Offering: offering}},
		}).Draw(t, "kind")
	})
}

func anyImage() *rapid.Generator[Image] {
	return rapid.SampledFrom([]Image{{}, {Official: true}, {AMI: "ami-01234567"}, {Recipe: "images/gpu.yaml"}})
}

func anyStorage(i int) *rapid.Generator[Storage] {
	return rapid.Custom(func(t *rapid.T) Storage {
		s := Storage{Name: fmt.Sprintf("fs%d", i), Mount: fmt.Sprintf("/data%d", i)}
		volume := EBS{SizeGiB: 100, VolumeType: rapid.SampledFrom([]string{"gp3", "io2"}).Draw(t, "type"), Keep: true}
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			s.EBS = &volume
		case 1:
			s.EFS = &EFS{Existing: hexID("fs-").Draw(t, "existing")}
		default:
			s.FSxLustre = &FSxLustre{Existing: hexID("fs-").Draw(t, "existing"), ThroughputMBps: 125}
		}
		return s
	})
}

func anyScript() *rapid.Generator[Script] {
	return rapid.Custom(func(t *rapid.T) Script {
		return Script{
			URL:     "s3://some-bucket/setup.sh",
			SHA256:  rapid.StringMatching(`[0-9a-f]{64}`).Draw(t, "sha256"),
			Args:    sometimes(t, "args", rapid.SliceOfN(rapid.OneOf(anyText(), rapid.Just(""), rapid.Just("a\nb"), rapid.Just("a\tb")), 1, 3)),
			Minutes: rapid.IntRange(0, 10).Draw(t, "minutes"),
		}
	})
}

// A cluster that is written and read again is the same, without findings.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyCluster().Draw(t, "cluster")
		text, err := Encode(want)
		if err != nil {
			t.Fatal(err)
		}
		doc, list := Decode("cluster.yaml", text)
		if len(list) > 0 {
			t.Fatalf("%s\n%s", render(list), text)
		}
		if d := cmp.Diff(want, doc.Cluster); d != "" {
			t.Fatalf("%s\n%s", d, text)
		}
	})
}
