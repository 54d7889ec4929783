package amibuild

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
)

// Existing is an image of an account, as AWS or ParallelCluster describes it.
type Existing struct {
	ID           string // ami-…
	Name         string
	State        string // available, pending, failed; as EC2 says it
	Architecture string // x86_64 or arm64
	Tags         map[string]string
}

// describeImages is what `aws ec2 describe-images` prints.
type describeImages struct {
	Images []struct {
		ImageID      string `json:"ImageId"`
		Name         string `json:"Name"`
		State        string `json:"State"`
		Architecture string `json:"Architecture"`
		Tags         []struct {
			Key   string `json:"Key"`
			Value string `json:"Value"`
		} `json:"Tags"`
	} `json:"Images"`
}

// describeImage is what `pcluster describe-image` prints.
type describeImage struct {
	ImageID string `json:"imageId"`
	Version string `json:"version"`
	Status  string `json:"imageBuildStatus"`
	AMI     *struct {
		ID           string `json:"amiId"`
		Name         string `json:"amiName"`
		State        string `json:"state"`
		Architecture string `json:"architecture"`
		Tags         []struct {
			Key   string `json:"key"`
			Value string `json:"value"`
		} `json:"tags"`
	} `json:"ec2AmiInfo"`
}

// ReadExisting reads what `aws ec2 describe-images` or `pcluster describe-image` printed. What is neither is a finding.
func ReadExisting(name string, data []byte) ([]Existing, diag.List) {
	var found diag.List
	refuse := func(got string) {
		found.Add(diag.Finding{
			Rule: diag.FileUnreadable, Place: diag.Place{File: name}, Got: got, Want: "the JSON of aws ec2 describe-images or of pcluster describe-image, with an image",
			Hint: "run aws ec2 describe-images --image-ids ami-… and keep its whole answer",
		})
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil {
		refuse(fmt.Sprintf("a file that is no JSON object: %v", err))
		return nil, found
	}
	read := readPcluster
	if _, ec2 := keys["Images"]; ec2 {
		read = readEC2
	}
	out, err := read(data)
	switch {
	case err != nil:
		refuse(err.Error())
	case len(out) == 0:
		refuse("no image")
	}
	return out, found
}

func readEC2(data []byte) ([]Existing, error) {
	var d describeImages
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, fmt.Errorf("images that can't be read: %w", err)
	}
	var out []Existing
	for _, i := range d.Images {
		e := Existing{ID: i.ImageID, Name: i.Name, State: i.State, Architecture: i.Architecture, Tags: map[string]string{}}
		for _, t := range i.Tags {
			e.Tags[t.Key] = t.Value
		}
		out = append(out, e)
	}
	return out, nil
}

func readPcluster(data []byte) ([]Existing, error) {
	var d describeImage
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, fmt.Errorf("an image that can't be read: %w", err)
	}
	if d.AMI == nil {
		if d.ImageID == "" {
			return nil, nil
		}
		return nil, fmt.Errorf("image %s without an AMI: its build is %s", d.ImageID, or(d.Status, "in no known state"))
	}
	e := Existing{ID: d.AMI.ID, Name: d.AMI.Name, State: strings.ToLower(d.AMI.State), Architecture: d.AMI.Architecture, Tags: map[string]string{}}
	for _, t := range d.AMI.Tags {
		e.Tags[t.Key] = t.Value
	}
	if e.Tags[catalog.TagVersion] == "" && d.Version != "" {
		e.Tags[catalog.TagVersion] = d.Version
	}
	return []Existing{e}, nil
}

// Check says whether a cluster can use an image that exists: by what its tags say it holds, not by its name or age. Rebuild is
// the command that makes the image anew, for the hints.
func (e Existing) Check(t Target, rebuild string) diag.List {
	c := existing{Existing: e, target: t, rebuild: rebuild}
	c.version()
	c.status()
	c.system()
	c.architecture()
	c.contents()
	c.findings.Sort()
	return c.findings
}

type existing struct {
	Existing
	target   Target
	rebuild  string
	findings diag.List
}

func (c *existing) add(level diag.Level, rule diag.ID, got, want, hint, source string) {
	c.findings.Add(diag.Finding{Rule: rule, Level: level, Place: diag.Place{Resource: c.ID}, Got: got, Want: want, Hint: hint, Source: source})
}

const sourceTags = "ParallelCluster, CustomAmiTagValidator"

// PclusterVersion is the ParallelCluster version that an image was built for: by its tag, or by the name of an official one.
func (e Existing) PclusterVersion() string {
	version, _ := catalog.ImageVersion(e.Tags[catalog.TagVersion], e.Name, true)
	return version
}

// version compares whole words: 3.1 is not 3.16.1.
func (c *existing) version() {
	want := c.target.ParallelCluster
	switch got := c.PclusterVersion(); got {
	case want:
	case "":
		c.add(diag.Warn, diag.AMIParallelCluster, "no tag "+catalog.TagVersion, want+", as the cluster says",
			"tags do not travel to another account; where nobody knows what built the image, build it anew: "+c.rebuild, sourceTags)
	default:
		c.add(diag.Error, diag.AMIParallelCluster, "an image of ParallelCluster "+got, want+", as the cluster says",
			"an image can't be lifted to another version; build it anew on a parent of "+want+": "+c.rebuild, "aws/aws-parallelcluster pull request 4909, issues 1689 and 4836")
	}
}

func (c *existing) status() {
	if c.State != "" && c.State != "available" {
		c.add(diag.Error, diag.AMIBuildStatus, "an image that is "+c.State, "available", "wait for it, or build it anew: "+c.rebuild, "EC2 API, DescribeImages")
	}
	status, tagged := c.Tags[catalog.TagBuildStatus]
	if c.Tags[catalog.TagVersion] != "" && status != catalog.ImageBuildDone {
		got := fmt.Sprintf("%q in tag %s", status, catalog.TagBuildStatus)
		if !tagged {
			got = "no tag " + catalog.TagBuildStatus
		}
		c.add(diag.Error, diag.AMIBuildStatus, got, `"available"`, "its build did not end well: build it anew: "+c.rebuild, sourceTags)
	}
}

func (c *existing) system() {
	got, tagged := c.Tags[catalog.TagOS]
	switch {
	case c.target.OS == "" || got == c.target.OS:
	case tagged:
		c.add(diag.Error, diag.AMIOS, "an image of "+got, c.target.OS+", as the cluster says", "set os to "+got+", or build an image of "+c.target.OS+": "+c.rebuild, "ParallelCluster, AmiOsCompatibleValidator")
	default:
		c.add(diag.Warn, diag.AMIOS, "no tag "+catalog.TagOS, c.target.OS+" in that tag", "see to it that the image holds "+c.target.OS, "ParallelCluster, AmiOsCompatibleValidator")
	}
}

func (c *existing) architecture() {
	for _, n := range c.target.Nodes {
		a, known := catalog.Architecture(n.InstanceType)
		if known && c.Architecture != "" && a != c.Architecture {
			c.add(diag.Error, diag.AMIArchitecture, "an image for "+c.Architecture, a+" for "+n.Who+", "+n.InstanceType, "name an image of that architecture", "ParallelCluster, InstanceTypeBaseAMICompatibleValidator")
		}
	}
}

// contents judges what the tags say is on the image by the floors of each group.
func (c *existing) contents() {
	have := map[catalog.Component]string{}
	for _, t := range contentTags {
		if v := c.Tags[t.tag]; v != "" {
			have[t.component] = v
		}
	}
	if release, known := catalog.ReleaseOf(c.PclusterVersion()); known && strings.HasPrefix(c.Name, catalog.OfficialImageName) {
		for component, v := range release.Ships {
			have[component] = cmp.Or(have[component], v)
		}
	}
	var said []string
	for _, n := range c.target.Nodes {
		if !n.Compute || slices.Contains(said, n.InstanceType) {
			continue
		}
		said = append(said, n.InstanceType)
		c.node(n, have)
	}
}

func (c *existing) node(n Node, have map[catalog.Component]string) {
	if _, gpus := catalog.ModulesOf(n.InstanceType); gpus && have[catalog.NVIDIADriver] == "" {
		c.add(diag.Error, diag.AMINVIDIAMissing, "no version in tag "+catalog.TagNVIDIAVersion, "the NVIDIA driver that "+n.Who+", "+n.InstanceType+" needs",
			"add - nvidia: {} to the recipe (build-image leaves NVIDIA software out by default) and build the image anew: "+c.rebuild, "AWS ParallelCluster User Guide, Build-v3")
	}
	floors := slices.DeleteFunc(catalog.Floors(n.InstanceType, c.target.Workload), func(f catalog.Floor) bool { return f.Component == catalog.EFAK8sPlugin })
	_, findings := catalog.Stack{Versions: maps.Clone(have), At: func(catalog.Component) diag.Place { return diag.Place{Resource: c.ID} }}.Judge(floors)
	for _, f := range findings {
		f.Hint += "; change the recipe and build the image anew: " + c.rebuild
		if !slices.Contains(c.findings, f) {
			c.findings.Add(f)
		}
	}
}

// CheckParent says whether an existing image can be what an image is built from: an image of one ParallelCluster version is never
// the parent of another, because what it holds of ParallelCluster stays.
func (e Existing) CheckParent(i Image) diag.List {
	var found diag.List
	add := func(rule diag.ID, got, want, hint, source string) {
		found.Add(diag.Finding{Rule: rule, Place: diag.Place{Resource: e.ID}, Got: got, Want: want, Hint: hint, Source: source})
	}
	if v := e.PclusterVersion(); v != "" && v != i.ParallelCluster {
		add(diag.AMIParallelCluster, "a parent of ParallelCluster "+v, "a parent of "+i.ParallelCluster+", or one without ParallelCluster",
			"build from what that image was made of, or from parent.official", "aws/aws-parallelcluster issues 1689 and 4836")
	}
	if e.Architecture != "" && e.Architecture != i.Architecture {
		add(diag.AMIArchitecture, "a parent for "+e.Architecture, i.Architecture+", the architecture of the image", "take a parent of that architecture", "EC2 API, DescribeImages")
	}
	if e.State != "" && e.State != "available" {
		add(diag.AMIParent, "a parent that is "+e.State, "available", "wait for it, or name another", "EC2 API, DescribeImages")
	}
	return found
}

// Rebuild is the command that renders a recipe for a cluster anew.
func Rebuild(recipe, cluster string) string {
	return "weft ami render " + or(recipe, "RECIPE") + " --cluster " + or(cluster, "CLUSTER")
}
