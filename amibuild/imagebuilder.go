package amibuild

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
)

// Documents are what EC2 Image Builder needs to make an image, as plain data in the words of its API.
type Documents struct {
	Components     []ComponentDocument         `json:"components"`
	Recipe         ImageRecipe                 `json:"recipe"`
	Infrastructure InfrastructureConfiguration `json:"infrastructureConfiguration"`
	Distribution   DistributionConfiguration   `json:"distributionConfiguration"`
	Pipeline       Pipeline                    `json:"pipeline"`
}

// ComponentDocument is one component. Its name holds a part of its content's SHA-256: Image Builder never changes a component,
// so that a changed one needs another name.
type ComponentDocument struct {
	Name        string   `json:"name"`
	Version     string   `json:"semanticVersion"`
	Platform    string   `json:"platform"`
	Description string   `json:"description"`
	Systems     []string `json:"supportedOsVersions"`
	Data        string   `json:"data"`
}

// ImageRecipe names the parent and the components in their order.
type ImageRecipe struct {
	Name       string   `json:"name"`
	Version    string   `json:"semanticVersion"`
	Parent     Source   `json:"parent"`
	Components []string `json:"components"` // names
	Volume     *Volume  `json:"volume,omitempty"`
	WorkingDir string   `json:"workingDirectory"`
}

// Volume is the root volume, where it is not the parent's.
type Volume struct {
	DeviceName string `json:"deviceName"`
	SizeGiB    int    `json:"volumeSize,omitempty"`
	Type       string `json:"volumeType"`
	KMSKey     string `json:"kmsKeyId,omitempty"`
}

// InfrastructureConfiguration is the machine that builds and tests.
type InfrastructureConfiguration struct {
	Name               string            `json:"name"`
	InstanceTypes      []string          `json:"instanceTypes"`
	Subnet             string            `json:"subnetId,omitempty"`
	SecurityGroups     []string          `json:"securityGroupIds,omitempty"`
	InstanceProfile    string            `json:"instanceProfileArn,omitempty"` // empty: one is made
	TerminateOnFailure bool              `json:"terminateInstanceOnFailure"`
	HTTPTokens         string            `json:"httpTokens"`
	Tags               map[string]string `json:"resourceTags,omitempty"`
}

// DistributionConfiguration names the image and its tags.
type DistributionConfiguration struct {
	Name    string            `json:"name"`
	Region  string            `json:"region,omitempty"`
	AMIName string            `json:"amiName"`
	AMITags map[string]string `json:"amiTags"`
}

// Pipeline builds the image anew when somebody starts it.
type Pipeline struct {
	Name           string `json:"name"`
	TestsEnabled   bool   `json:"imageTestsEnabled"`
	TimeoutMinutes int    `json:"timeoutMinutes"`
	Status         string `json:"status"`
}

// dataLimit is the most characters of a component document in a call (EC2 Image Builder API, CreateComponent, data).
const dataLimit = 16000

// version of every component and recipe. It never moves: what changes gets another name.
const version1 = "1.0.0"

// ImageBuilder translates a plan for EC2 Image Builder. The parent must be an image of the same ParallelCluster version: its own
// recipes run in `pcluster build-image` only, and an image without their mark fails at the first boot.
func (i Image) ImageBuilder() (Documents, diag.List, error) {
	var found diag.List
	if i.Parent.Kind != Official && i.Parent.Holds[catalog.ParallelCluster] != i.ParallelCluster {
		found.Add(diag.Finding{
			Rule: diag.AMIParent, Place: diag.Place{Path: "parent"},
			Got: "a parent without ParallelCluster " + i.ParallelCluster, Want: "parent.official, or an image that ParallelCluster " + i.ParallelCluster + " built (parent.holds.parallelcluster)",
			Hint: "build it with ParallelCluster: weft ami render --to build-image", Source: "AWS ParallelCluster User Guide, building a custom AMI",
		})
	}
	d := Documents{
		Infrastructure: InfrastructureConfiguration{
			Name: i.Name, InstanceTypes: []string{i.Build.InstanceType}, Subnet: i.Build.Subnet, SecurityGroups: i.Build.SecurityGroups,
			InstanceProfile: i.Build.InstanceProfile, TerminateOnFailure: true, HTTPTokens: "required", Tags: i.Tags,
		},
		Distribution: DistributionConfiguration{Name: i.Name, Region: i.Region, AMIName: i.Name + "-" + i.ParallelCluster + "-{{ imagebuilder:buildDate }}", AMITags: i.AMITags()},
		Pipeline:     Pipeline{Name: i.Name, TestsEnabled: true, TimeoutMinutes: 90, Status: "ENABLED"},
	}
	if err := i.components(&d, &found); err != nil {
		return Documents{}, nil, err
	}
	d.Recipe = i.imageRecipe(d.Components)
	return d, found, nil
}

func (i Image) components(d *Documents, found *diag.List) error {
	for _, s := range i.all() {
		text, err := i.documentOf(s).text()
		if err != nil {
			return err
		}
		if len(text) > dataLimit {
			found.Add(diag.Finding{
				Rule: diag.PCSize, Place: diag.Place{Path: s.Path}, Got: fmt.Sprintf("a component document of %d characters", len(text)),
				Want: fmt.Sprintf("at most %d", dataLimit), Hint: "give the script by url: it is then downloaded, and not part of the document", Source: "EC2 Image Builder API, CreateComponent",
			})
		}
		d.Components = append(d.Components, ComponentDocument{
			Name: fmt.Sprintf("%s-%s-%s", i.Name, s.Name, sum(text)[:8]), Version: version1, Platform: "Linux", Description: describe(s),
			Systems: []string{systems[i.OS]}, Data: text,
		})
	}
	return nil
}

// systems are the operating systems as Image Builder names them.
var systems = map[string]string{
	"ubuntu2204": "Ubuntu 22", "ubuntu2404": "Ubuntu 24", "alinux2023": "Amazon Linux 2023", "alinux2": "Amazon Linux 2",
	"rhel8": "Red Hat Enterprise Linux 8", "rhel9": "Red Hat Enterprise Linux 9", "rocky8": "Rocky Linux 8", "rocky9": "Rocky Linux 9",
}

func (i Image) imageRecipe(components []ComponentDocument) ImageRecipe {
	r := ImageRecipe{Version: version1, Parent: i.Parent, WorkingDir: "/tmp", Volume: i.volume()}
	for _, c := range components {
		r.Components = append(r.Components, c.Name)
	}
	// What the recipe is made of is in its name, for the same reason as with components.
	id := fmt.Sprintf("%+v", []any{i.Parent.Kind, i.Parent.AMI, i.Parent.Pattern, r.Components, i.Build.RootVolumeGiB, i.Build.KMSKey})
	r.Name = i.Name + "-" + sum(id)[:8]
	return r
}

func (i Image) volume() *Volume {
	if i.Build.RootVolumeGiB == 0 && i.Build.KMSKey == "" {
		return nil
	}
	return &Volume{DeviceName: i.rootDevice(), SizeGiB: i.Build.RootVolumeGiB, Type: "gp3", KMSKey: i.Build.KMSKey}
}

// rootDevice is the name of the root volume in the images of a system.
func (i Image) rootDevice() string {
	if strings.HasPrefix(i.OS, "alinux") {
		return "/dev/xvda"
	}
	return "/dev/sda1"
}

// contentTags are the tags of ParallelCluster that name a component's version, as its own image builds write them: the EFA tag
// names the kernel driver, not the installer. The last two are weft's own, of what ParallelCluster's tags leave out.
var contentTags = []struct {
	component catalog.Component
	tag       string
}{
	{catalog.NVIDIADriver, catalog.TagNVIDIAVersion},
	{catalog.CUDA, catalog.TagPrefix + "cuda_version"},
	{catalog.EFADriver, catalog.TagPrefix + "efa_version"},
	{catalog.Slurm, catalog.TagPrefix + "slurm_version"},
	{catalog.PMIx, catalog.TagPrefix + "pmix_version"},
	{catalog.EFAInstaller, "weft:efa-installer"},
	{catalog.GDRCopy, "weft:gdrcopy"},
	{catalog.NCCL, "weft:nccl"},
	{catalog.OFIPlugin, "weft:aws-ofi-nccl"},
}

// AMITags are the tags that the finished image carries. Image Builder puts them on after the tests have passed, so that
// build_status says what it means there: the image is fit for use. ParallelCluster's CustomAmiTagValidator reads version, os and build_status.
func (i Image) AMITags() map[string]string {
	tags := map[string]string{}
	for key, value := range i.Tags {
		tags[key] = value
	}
	tags[catalog.TagVersion], tags[catalog.TagBuildStatus], tags[catalog.TagOS] = i.ParallelCluster, catalog.ImageBuildDone, i.OS
	tags[catalog.TagBootstrapFile] = "aws-parallelcluster-cookbook-" + i.ParallelCluster
	contents := i.expanded()
	for _, t := range contentTags {
		if v := contents[t.component]; v != "" {
			tags[t.tag] = v
		}
	}
	return tags
}

// expanded are the contents with those of the EFA installer.
func (i Image) expanded() map[catalog.Component]string {
	out := map[catalog.Component]string{}
	if installer, known := catalog.Installer(i.Contents[catalog.EFAInstaller]); known {
		for c, v := range installer.Contents() {
			out[c] = v
		}
	}
	for c, v := range i.Contents {
		out[c] = cmp.Or(v, out[c])
	}
	return out
}
