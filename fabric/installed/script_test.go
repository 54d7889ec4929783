package installed

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadScript(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want []string // component version:line
	}{
		"nothing of ours":         {"set -eu\napt-get install -y jq\n", nil},
		"an archive":              {"curl -O https://efa-installer.amazonaws.com/aws-efa-installer-1.51.0.tar.gz\n", []string{"efa-installer 1.51.0:1"}},
		"a package":               {"\napt-get install -y libnccl2=2.28.9-1+cuda13.0\n", []string{"nccl 2.28.9-1+cuda13.0:2"}},
		"a variable, and its use": {"export EFA_INSTALLER_VERSION=1.51.0\ncurl -O https://x/aws-efa-installer-${EFA_INSTALLER_VERSION}.tar.gz\n", []string{"efa-installer 1.51.0:1"}},
		"a default":               {"curl -O https://x/aws-efa-installer-${V:-1.50.0}.tar.gz", []string{"efa-installer 1.50.0:1"}},
		"a value nobody gives":    {"curl -O https://x/aws-efa-installer-$V.tar.gz", []string{"efa-installer $V:1"}},
		"a command over lines":    {"apt-get install -y \\\n  jq \\\n  libnccl2=2.28.9-1\n", []string{"nccl 2.28.9-1:3"}},
		"a clone":                 {"git clone -b v2.5.1 https://github.com/NVIDIA/gdrcopy.git && make -C gdrcopy\n", []string{"gdrcopy v2.5.1:1"}},
		"a comment":               {"# aws-efa-installer-1.35.0.tar.gz was slow\n", nil},
		"steps of a component":    {"phases:\n  - name: build\n    steps:\n      - action: ExecuteBash\n        inputs:\n          commands:\n            - curl -O https://x/aws-efa-installer-1.51.0.tar.gz\n", []string{"efa-installer 1.51.0:7"}},
		"no end":                  {"apt-get install libnccl2=2.28.9-1 \\", []string{"nccl 2.28.9-1:1"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, v := range ReadScript("setup.sh", []byte(tt.text)).Versions {
				require.Equal(t, "setup.sh", v.Place.File)
				got = append(got, fmt.Sprintf("%s %s:%d", v.Component, v.Text, v.Place.Line))
			}
			require.Equal(t, tt.want, got)
		})
	}
}

func FuzzReadScript(f *testing.F) {
	f.Add("export V=1\napt-get install -y libnccl2=$V \\")
	f.Fuzz(func(_ *testing.T, text string) { ReadScript("setup.sh", []byte(text)) })
}
