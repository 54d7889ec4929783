package judge_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/judge/judgetest"
)

// TestOfficialImages compares the images that accounts are given with those of the recorded world.
func TestOfficialImages(t *testing.T) {
	t.Parallel()
	want := map[string]judgetest.RecordedImage{}
	for id, image := range judgetest.ReadRecord(t).World.Images {
		if strings.HasPrefix(image.Name, "aws-parallelcluster-") {
			want[id] = judgetest.RecordedImage{Name: image.Name, Architecture: image.Architecture}
		}
	}
	official, err := account.OfficialImages("3.16.1")
	require.NoError(t, err)
	got := map[string]judgetest.RecordedImage{}
	for _, image := range official {
		got[image.ID] = judgetest.RecordedImage{Name: image.Name, Architecture: image.Architecture}
	}
	require.Equal(t, want, got)
}
