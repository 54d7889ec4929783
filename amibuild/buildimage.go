package amibuild

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
)

// Bundle is what `pcluster build-image` needs: its configuration, and the scripts that it downloads.
type Bundle struct {
	// Config of the build, YAML.
	Config []byte
	// Scripts by the key below the recipe's build.scripts; each must be uploaded before the build.
	Scripts map[string]string
}

// buildConfig is a build-image configuration, as far as weft writes it.
type buildConfig struct {
	Region string     `yaml:"Region"`
	Image  buildImage `yaml:"Image"`
	Build  buildBuild `yaml:"Build"`
}

type buildImage struct {
	Name       string       `yaml:"Name"`
	Tags       []buildTag   `yaml:"Tags"`
	RootVolume *buildVolume `yaml:"RootVolume"`
}

type buildVolume struct {
	Size      int    `yaml:"Size"`
	Encrypted bool   `yaml:"Encrypted"`
	KMSKey    string `yaml:"KmsKeyId"`
}

type buildTag struct {
	Key   string `yaml:"Key" weft:"required"`
	Value string `yaml:"Value" weft:"required"`
}

type buildBuild struct {
	InstanceType     string             `yaml:"InstanceType" weft:"required"`
	ParentImage      string             `yaml:"ParentImage" weft:"required"`
	SubnetID         string             `yaml:"SubnetId"`
	SecurityGroupIDs []string           `yaml:"SecurityGroupIds"`
	Components       []buildComponent   `yaml:"Components"`
	Tags             []buildTag         `yaml:"Tags"`
	UpdateOSPackages *buildSwitch       `yaml:"UpdateOsPackages"`
	IAM              *buildIAM          `yaml:"Iam"`
	Imds             buildImds          `yaml:"Imds"`
	Installation     *buildInstallation `yaml:"Installation"`
}

type buildComponent struct {
	Type  string `yaml:"Type" weft:"required"`
	Value string `yaml:"Value" weft:"required"`
}

type buildSwitch struct {
	Enabled bool `yaml:"Enabled" weft:"required"`
}

type buildIAM struct {
	InstanceProfile   string `yaml:"InstanceProfile"`
	CleanupLambdaRole string `yaml:"CleanupLambdaRole"`
}

type buildImds struct {
	Support string `yaml:"ImdsSupport"`
}

type buildInstallation struct {
	NvidiaSoftware *buildSwitch `yaml:"NvidiaSoftware"`
}

// BuildImage translates a plan for `pcluster build-image`. ParallelCluster runs its own recipes on the parent first, then each
// step's script in its order, then the seal, which proves the modules; nothing reboots the machine in between.
//
// Without a parent's id (an official image that no lock pins) the configuration names the image's name pattern, and a finding
// says how to get the id.
func (i Image) BuildImage() (Bundle, diag.List, error) {
	var found diag.List
	b := Bundle{Scripts: map[string]string{}}
	c := i.buildConfig(&b)
	text, err := config.Write(c)
	if err != nil {
		return Bundle{}, nil, fmt.Errorf("writing the build-image configuration: %w", err)
	}
	b.Config = text
	i.checkBundle(c, &found)
	keys, err := checkKeys(i.ParallelCluster, text)
	if err != nil {
		return Bundle{}, nil, err
	}
	found.Add(keys...)
	found.Sort()
	return b, found, nil
}

func (i Image) buildConfig(b *Bundle) buildConfig {
	c := buildConfig{
		Region: i.Region,
		Image:  buildImage{Name: i.Name, Tags: i.weftTags(), RootVolume: i.buildVolume()},
		Build: buildBuild{
			InstanceType: i.Build.InstanceType, ParentImage: i.Parent.id(), SubnetID: i.Build.Subnet, SecurityGroupIDs: i.Build.SecurityGroups,
			Tags: i.userTags(), IAM: i.buildIAM(), Imds: buildImds{Support: "v2.0"},
		},
	}
	if i.Build.UpdatePackages {
		c.Build.UpdateOSPackages = &buildSwitch{Enabled: true}
	}
	if i.NVIDIA {
		c.Build.Installation = &buildInstallation{NvidiaSoftware: &buildSwitch{Enabled: true}}
	}
	for k, s := range i.all() {
		text := i.script(s)
		// A script's name holds a part of its SHA-256: what was built from a configuration can be told from it.
		key := fmt.Sprintf("%s/%02d-%s-%s.sh", i.Name, k+1, s.Name, sum(text)[:8])
		b.Scripts[key] = text
		c.Build.Components = append(c.Build.Components, buildComponent{Type: "script", Value: strings.TrimSuffix(i.Build.Scripts, "/") + "/" + key})
	}
	return c
}

// id of the parent, or what stands for it.
func (s Source) id() string {
	if s.AMI == "" {
		return "ami-of:" + or(s.Pattern, s.Parameter)
	}
	return s.AMI
}

// userTags are the recipe's, sorted.
func (i Image) userTags() []buildTag {
	var out []buildTag
	for _, key := range slices.Sorted(maps.Keys(i.Tags)) {
		out = append(out, buildTag{key, i.Tags[key]})
	}
	return out
}

// weftTags are those of the image: ParallelCluster writes its own.
func (i Image) weftTags() []buildTag {
	out := i.userTags()
	tags := i.AMITags()
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		if strings.HasPrefix(key, "weft:") {
			out = append(out, buildTag{key, tags[key]})
		}
	}
	return out
}

func (i Image) buildVolume() *buildVolume {
	if i.Build.RootVolumeGiB == 0 && i.Build.KMSKey == "" {
		return nil
	}
	return &buildVolume{Size: i.Build.RootVolumeGiB, Encrypted: i.Build.KMSKey != "", KMSKey: i.Build.KMSKey}
}

func (i Image) buildIAM() *buildIAM {
	if i.Build.InstanceProfile == "" && i.Build.CleanupRole == "" {
		return nil
	}
	return &buildIAM{InstanceProfile: i.Build.InstanceProfile, CleanupLambdaRole: i.Build.CleanupRole}
}

func (i Image) checkBundle(c buildConfig, found *diag.List) {
	add := func(rule diag.ID, path, got, want, hint, source string) {
		found.Add(diag.Finding{Rule: rule, Place: diag.Place{Path: path}, Got: got, Want: want, Hint: hint, Source: source})
	}
	if i.Parent.AMI == "" && i.Parent.Kind == Official {
		add(diag.AMIParent, "parent.official", "an official image without an id", "the id of "+i.Parent.Pattern+" in the Region of the build",
			fmt.Sprintf("run aws ec2 describe-images --owners amazon --filters 'Name=name,Values=%s' and weft ami lock --parent ami-…", i.Parent.Pattern), "ParallelCluster, build-image Build/ParentImage")
	}
	for _, s := range i.Steps {
		if s.Kind == kindKernel {
			found.Add(diag.Finding{
				Rule: diag.AMIKernel, Level: diag.Error, Place: diag.Place{Path: s.Path}, Got: "kernel " + s.Version + " by pcluster build-image",
				Want:   "the kernel that the parent boots: nothing reboots the machine between components, so modules would be built for the old one",
				Hint:   "take a parent with that kernel; EC2 Image Builder, on an official parent, reboots after each component",
				Source: "ParallelCluster, custom_script.yaml",
			})
		}
	}
	if i.Build.Scripts == "" {
		add(diag.ConfigRequired, "build.scripts", "no place for the scripts", "the s3://bucket/prefix that they are downloaded from", "add build.scripts and upload the rendered scripts there", "ParallelCluster, build-image Build/Components")
	}
	release, _ := catalog.ReleaseOf(i.ParallelCluster)
	if limit := release.Limits().BuildComponents; len(c.Build.Components) > limit {
		add(diag.PCSize, "components", fmt.Sprintf("%d components with the seal", len(c.Build.Components)), fmt.Sprintf("at most %d", limit),
			"put several of your scripts into one", "ParallelCluster, ComponentsValidator")
	}
}

// checkKeys names every key of a build-image configuration that a ParallelCluster version does not have.
func checkKeys(version string, text []byte) (diag.List, error) {
	var object map[string]any
	if err := yaml.Unmarshal(text, &object); err != nil {
		return nil, fmt.Errorf("reading the build-image configuration: %w", err)
	}
	k := keyChecker{version: version}
	k.section("", object)
	return k.findings, nil
}

type keyChecker struct {
	version  string
	findings diag.List
}

func (k *keyChecker) section(path string, section map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(section)) {
		at := key
		if path != "" {
			at = path + "/" + key
		}
		if has, _ := catalog.HasImageKey(k.version, at); !has {
			k.findings.Add(diag.Finding{
				Rule: diag.PCKey, Place: diag.Place{Path: at}, Got: at + " in a build-image configuration of ParallelCluster " + k.version,
				Want: "a key of this version", Hint: "set parallelcluster to a version that has it, or leave out what needs it", Source: "schema of aws-parallelcluster " + k.version,
			})
			continue
		}
		k.value(at, section[key])
	}
}

func (k *keyChecker) value(at string, value any) {
	switch v := value.(type) {
	case map[string]any:
		k.section(at, v)
	case []any:
		for _, item := range v {
			if section, ok := item.(map[string]any); ok {
				k.section(at+"[]", section)
			}
		}
	}
}
