package amibuild_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/amibuild"
	"github.com/weft-hpc/weft/fabric/config"
)

// base is a recipe on an official image without a finding; lines are added to it.
const base = `
name: a
parallelcluster: 3.16.1
os: ubuntu2204
instanceTypes: [p5en.48xlarge]
`

const (
	official = base + "parent: {official: true}\n"
	plain    = base + "parent: {ami: ami-01234567}\n"
	newEFA   = "  - efa: {version: 1.50.0}\n"
	tools    = "  - script: {name: tools, file: tools.sh}\n"
)

func judged(t *testing.T, text string, files ...string) []string {
	t.Helper()
	r := amibuild.Request{Recipe: recipe(t, text), Files: map[string][]byte{}}
	for _, content := range files {
		r.Files["tools.sh"] = []byte(content)
	}
	_, found := locked(t, r)
	for _, f := range found {
		require.NotEmpty(t, f.Got, "%v", f)
		require.NotEmpty(t, f.Want, "%v", f)
		require.NotEmpty(t, f.Hint, "%v", f)
		if f.Place.Path != "" {
			require.NotZero(t, f.Place.Line, "%v", f)
		}
	}
	return rules(found)
}

func TestChecks(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		files []string
		want  []string
	}{
		"nothing wrong": {text: official + "components:\n" + newEFA},

		"name":          {text: strings.Replace(official, "name: a", "name: A_b", 1) + "components:\n" + newEFA, want: []string{"error config/value name"}},
		"script's name": {text: official + "components:\n" + newEFA + "  - script: {name: My Tools, file: tools.sh}\n", files: []string{"true\n"}, want: []string{"error config/value components[1].script.name"}},
		"reserved tag":  {text: official + "tags: {\"parallelcluster:version\": 3.16.1, \"aws:x\": y}\ncomponents:\n" + newEFA, want: []string{`error config/value tags["parallelcluster:version"]`, `error config/value tags["aws:x"]`}},

		"no version":      {text: strings.Replace(official, "parallelcluster: 3.16.1\n", "", 1) + "components:\n" + newEFA, want: []string{"error ami/lock ", "error config/required parallelcluster", "warn ami/nvidia-missing parent"}},
		"unknown version": {text: strings.Replace(official, "3.16.1", "3.99.0", 1) + "components:\n" + newEFA, want: []string{"error pc/version parallelcluster", "warn ami/nvidia-missing parent"}},
		"unknown system":  {text: strings.Replace(official, "ubuntu2204", "ubuntu2004", 1) + "components:\n" + newEFA, want: []string{"error pc/os os"}},
		"system not for the type": {
			text: strings.NewReplacer("ubuntu2204", "rhel9", "p5en.48xlarge", "p6e-gb200.36xlarge").Replace(official) + "components:\n" + newEFA,
			want: []string{"error pc/os os"},
		},
		"nobody boots it": {text: strings.Replace(official, "instanceTypes: [p5en.48xlarge]\n", "", 1) + "components:\n" + newEFA, want: []string{"error config/required instanceTypes"}},
		"unknown type":    {text: strings.Replace(official, "p5en.48xlarge", "nodes", 1) + "components:\n" + newEFA, want: []string{"error config/value instanceTypes[0]"}},
		"unlisted type":   {text: strings.Replace(official, "p5en.48xlarge", "p5em.48xlarge", 1) + "components:\n" + newEFA, want: []string{"warn config/value instanceTypes[0]"}},
		"architecture":    {text: official + "architecture: arm64\ncomponents:\n" + newEFA, want: []string{"error ami/architecture architecture"}},

		"no parent":         {text: base + "parent: {}\ncomponents:\n" + newEFA, want: []string{"error config/required parent", "warn ami/nvidia-missing parent"}},
		"two parents":       {text: base + "parent: {official: true, ami: ami-01234567}\ncomponents:\n" + newEFA, want: []string{"error config/conflict parent.ami"}},
		"no official image": {text: strings.Replace(official, "ubuntu2204", "rocky9", 1) + "components:\n" + newEFA, want: []string{"error ami/parent parent.official"}},
		"unknown holding":   {text: base + "parent: {official: true, holds: {efa: 1.50.0}}\ncomponents:\n" + newEFA, want: []string{"error config/key parent.holds.efa"}},
		"no DLAMI":          {text: base + "parent: {dlami: /my/ami, holds: {nvidia-driver: 595.71.05}}\ncomponents:\n" + newEFA, want: []string{"error config/value parent.dlami"}},
		"DLAMI's system":    {text: base + "parent: {dlami: /aws/service/deeplearning/ami/x86_64/base-with-single-cuda-ubuntu-24.04/latest/ami-id, holds: {nvidia-driver: 595.71.05}}\ncomponents:\n" + newEFA, want: []string{"error ami/os parent.dlami"}},
		"DLAMI's architecture": {
			text: base + "parent: {dlami: /aws/service/deeplearning/ami/arm64/base-oss-nvidia-driver-gpu-ubuntu-22.04/latest/ami-id, holds: {nvidia-driver: 595.71.05}}\ncomponents:\n" + newEFA,
			want: []string{"error ami/architecture parent.dlami"},
		},
		"DLAMI's driver": {
			text: base + "parent: {dlami: /aws/service/deeplearning/ami/x86_64/base-oss-nvidia-driver-gpu-ubuntu-22.04/latest/ami-id}\ncomponents:\n" + newEFA,
			want: []string{"warn ami/nvidia-missing parent"},
		},
		"NVIDIA twice": {text: official + "components:\n  - nvidia: {}\n" + newEFA, want: []string{"error config/conflict components[0].nvidia"}},

		"no kind":          {text: official + "components:\n  - {}\n" + newEFA, want: []string{"error config/required components[0]"}},
		"two kinds":        {text: official + "components:\n" + newEFA + "  - {nccl: {version: 2.30.4-1}, pyxis: {version: 0.24.0}}\n", want: []string{"error config/conflict components[1].pyxis"}},
		"twice":            {text: official + "components:\n" + newEFA + newEFA, want: []string{"error config/conflict components[1].efa"}},
		"missing file":     {text: official + "components:\n" + newEFA + tools, want: []string{"error file/unreadable components[1].script.file"}},
		"no script":        {text: official + "components:\n" + newEFA + "  - script: {name: tools}\n", want: []string{"error config/conflict components[1].script"}},
		"script by http":   {text: official + "components:\n" + newEFA + "  - script: {name: tools, url: \"http://example.com/x.sh\"}\n", want: []string{"error boot/url components[1].script.url", "note ami/kernel components[1].script.url"}},
		"script by s3":     {text: official + "components:\n" + newEFA + "  - script: {name: tools, url: \"s3://b/x.sh\"}\n", want: []string{"note ami/kernel components[1].script.url"}},
		"script of braces": {text: official + "components:\n" + newEFA + tools, files: []string{"docker ps --format '{{.ID}}'\n"}, want: []string{"error config/value components[1].script.file"}},
		"script of ours":   {text: official + "components:\n" + newEFA + tools, files: []string{"cat <<WEFT_END_OF_SCRIPT\n"}, want: []string{"error config/value components[1].script.file"}},

		"EFA before the driver":     {text: plain + "components:\n" + newEFA + "  - nvidia: {driver: 595.71.05}\n", want: []string{"error ami/order components[1].nvidia"}},
		"GDRCopy before the driver": {text: plain + "components:\n  - gdrcopy: {version: 2.5.2}\n  - nvidia: {driver: 595.71.05}\n" + newEFA, want: []string{"error ami/order components[1].nvidia"}},
		"kernel last":               {text: official + "components:\n" + newEFA + "  - kernel: {version: 6.8.0-1040-aws}\n", want: []string{"error ami/order components[1].kernel", "warn ami/kernel components[1].kernel"}},
		"tests before NCCL":         {text: official + "components:\n" + newEFA + "  - ncclTests: {version: 2.17.6}\n  - nccl: {version: 2.30.4-1}\n", want: []string{"error ami/order components[2].nccl"}},
		"right order":               {text: plain + "components:\n  - nvidia: {driver: 595.71.05}\n" + newEFA + "  - gdrcopy: {version: 2.5.2}\n"},

		"driver under the parent's modules": {
			text: official + "components:\n  - nvidia: {driver: 595.112.07}\n",
			want: []string{"error ami/order components[0].nvidia", "warn ami/order components[0].nvidia"},
		},
		"updated packages": {text: official + "build: {updatePackages: true}\ncomponents:\n" + newEFA, want: []string{"warn ami/kernel build.updatePackages"}},
		"upgrading script": {text: official + "components:\n" + newEFA + tools, files: []string{"apt-get update\napt-get -y dist-upgrade\n# apt upgrade\n"}, want: []string{"warn ami/kernel components[1].script.file"}},
		"updating script":  {text: official + "components:\n" + newEFA + tools, files: []string{"sudo dnf -y update\n"}, want: []string{"warn ami/kernel components[1].script.file"}},
		"kernel by script": {text: official + "components:\n" + newEFA + tools, files: []string{"apt install -y linux-aws\n"}, want: []string{"warn ami/kernel components[1].script.file"}},
		"harmless script":  {text: official + "components:\n" + newEFA + tools, files: []string{"apt-get update\napt-get install -y linux-tools-common upgrade-notes\npip install --upgrade pip\n"}},

		"GDRCopy of two places": {text: plain + "components:\n  - nvidia: {}\n" + newEFA + "  - gdrcopy: {version: 2.5.2}\n", want: []string{"error boot/gdrcopy components[2].gdrcopy"}},
		"GDRCopy twice":         {text: plain + "components:\n  - nvidia: {driver: 595.71.05}\n" + newEFA + "  - gdrcopy: {version: 2.5.2}\n  - gdrcopy: {version: 2.5.1}\n", want: []string{"error boot/gdrcopy components[3].gdrcopy"}},
		"GDRCopy again":         {text: official + "components:\n" + newEFA + "  - gdrcopy: {version: \"2.6\"}\n", want: []string{"warn boot/gdrcopy components[1].gdrcopy"}},
		"another GDRCopy":       {text: official + "components:\n" + newEFA + "  - gdrcopy: {version: 2.5.2}\n"},
		"plugin twice":          {text: official + "components:\n" + newEFA + "  - ofiPlugin: {version: 1.21.1}\n", want: []string{"error config/conflict components[1].ofiPlugin"}},
		"newer plugin":          {text: official + "components:\n" + newEFA + "  - ofiPlugin: {version: 1.22.0}\n", want: []string{"warn config/conflict components[1].ofiPlugin"}},

		"no driver":                 {text: plain + "components:\n" + newEFA, want: []string{"error ami/nvidia-missing components"}},
		"NVIDIA of ParallelCluster": {text: plain + "components:\n  - nvidia: {}\n" + newEFA},
		"no GPU, no driver":         {text: strings.Replace(plain, "p5en.48xlarge", "hpc7a.96xlarge", 1) + "components:\n" + newEFA},
		"closed for Blackwell": {
			text: strings.Replace(plain, "p5en.48xlarge", "p6-b200.48xlarge", 1) + "components:\n  - nvidia: {driver: 595.71.05, modules: closed}\n" + newEFA + "  - gdrcopy: {version: 2.5.2}\n",
			want: []string{"error ami/driver-flavour components[0].nvidia.modules"},
		},
		"open for Volta": {
			text: strings.Replace(official, "p5en.48xlarge", "p3dn.24xlarge", 1) + "components:\n" + newEFA,
			want: []string{"error ami/driver-flavour parent.modules"},
		},

		"below the floor": {text: strings.Replace(official, "p5en.48xlarge", "p6-b300.48xlarge", 1) + "components:\n  - efa: {version: 1.43.3}\n", want: []string{"error ver/floor components[0].efa"}},
		"denied":          {text: official + "components:\n  - efa: {version: 1.47.0}\n", want: []string{"error ver/denied components[0].efa"}},
		"pair":            {text: official + "components:\n  - efa: {version: 1.43.1}\n", want: []string{"error ver/pair parent"}},
		"unreadable":      {text: official + "components:\n  - efa: {version: newest}\n", want: []string{"error ver/unreadable components[0].efa"}},
		"dispatcher": {
			text: official + "dispatcher: deepep-v2\ncomponents:\n  - efa: {version: 1.49.0}\n  - nccl: {version: 2.30.4-1}\n",
			want: []string{"error ver/floor components[0].efa", "error ver/floor components[1].nccl"},
		},

		"subnet alone":       {text: official + "build: {subnet: subnet-01234567}\ncomponents:\n" + newEFA, want: []string{"error config/required build.securityGroups"}},
		"profile":            {text: official + "build: {instanceProfile: builder}\ncomponents:\n" + newEFA, want: []string{"error config/value build.instanceProfile"}},
		"scripts' place":     {text: official + "build: {scripts: \"https://b/x\"}\ncomponents:\n" + newEFA, want: []string{"error config/value build.scripts"}},
		"builder of its own": {text: official + "build: {instanceType: m7g.xlarge}\ncomponents:\n" + newEFA, want: []string{"error ami/architecture build.instanceType"}},
		"builder without GPU": {
			text: plain + "build: {instanceType: m6i.xlarge}\ncomponents:\n  - nvidia: {}\n" + newEFA, want: []string{"error config/conflict build.instanceType"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, judged(t, c.text, c.files...))
		})
	}
}

// The cluster's version counts where the recipe names none; a recipe that names another is refused.
func TestRecipeFollowsTheCluster(t *testing.T) {
	text := strings.NewReplacer("parallelcluster: 3.16.1\n", "", "os: ubuntu2204\n", "").Replace(official) + "components:\n" + newEFA
	i, found := locked(t, amibuild.Request{Recipe: recipe(t, text), Target: target("3.15.1", "alinux2023", "p5.48xlarge")})
	require.Empty(t, rules(found))
	require.Equal(t, "aws-parallelcluster-3.15.1-amzn2023-hvm-x86_64*", i.Parent.Pattern)
	require.Equal(t, "us-east-2", i.Region)

	_, found = locked(t, amibuild.Request{Recipe: recipe(t, official+"components:\n"+newEFA), Target: target("3.15.1", "alinux2023", "p5.48xlarge")})
	require.Equal(t, []string{"error ami/pcluster-version parallelcluster", "error ami/os os"}, rules(found))
}

// What the decoder refused is judged no second time.
func TestUnsoundIsNotJudgedTwice(t *testing.T) {
	for _, text := range []string{
		official + "components:\n  - efa: {version: 1.50}\n", official + "components:\n  - efa: 1.50.0\n",
		base + "parent: {ami: x}\ncomponents:\n  - nvidia: {driver: 595.71.05}\n" + newEFA, official + "build: {subnet: 3}\ncomponents:\n" + newEFA,
	} {
		f, found := amibuild.Decode("recipe.yaml", []byte(text))
		require.Len(t, found, 1, text)
		_, more := locked(t, amibuild.Request{Recipe: f})
		for _, m := range more {
			require.NotEqual(t, found[0].Place.Path, m.Place.Path, text)
		}
	}
}

// Any recipe gives a plan.
func FuzzNew(f *testing.F) {
	f.Add(official + "components:\n" + newEFA)
	f.Add(everything)
	f.Add("parent: {}\ncomponents: [{}]")
	f.Fuzz(func(t *testing.T, text string) {
		r, _ := amibuild.Decode("recipe.yaml", []byte(text))
		i, _ := amibuild.New(amibuild.Request{Recipe: r, Lock: config.File[amibuild.Lock]{}})
		_, _, err := i.ImageBuilder()
		require.NoError(t, err)
		_, _, err = i.BuildImage()
		require.NoError(t, err)
	})
}
