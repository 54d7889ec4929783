package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/catalog"
)

func TestImageVersion(t *testing.T) {
	t.Parallel()
	const official = "aws-parallelcluster-3.16.1-ubuntu-2204-lts-hvm-x86_64-202609010000"
	for name, tt := range map[string]struct {
		tag, name      string
		official       bool
		version, where string
	}{
		"a tag":                         {" 3.14.2 ", "mine", false, "3.14.2", "tag parallelcluster:version"},
		"a tag before a name":           {"3.14.2", official, true, "3.14.2", "tag parallelcluster:version"},
		"an official name":              {"", official, true, "3.16.1", "its name " + official},
		"an official name of one's own": {"", official, false, "", ""},
		"nothing":                       {"", "mine", true, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			version, where := catalog.ImageVersion(tt.tag, tt.name, tt.official)
			require.Equal(t, [2]string{tt.version, tt.where}, [2]string{version, where})
		})
	}
	require.True(t, catalog.ImageBuilt(map[string]string{catalog.TagOS: ""}))
	require.False(t, catalog.ImageBuilt(map[string]string{"Name": "parallelcluster:os"}))
}
