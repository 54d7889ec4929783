package toolchain

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRecent(t *testing.T) {
	tests := []struct {
		have string
		want bool
	}{
		{"v3.276.0", true},
		{"3.276.5", true},
		{"v3.301.0", true},
		{"v3.275.9", false},
		{"v4.0.0", false},
		{"v2.999.0", false},
		{"unknown", false},
		{"", false},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, recent(tt.have, "v3.276.0"), tt.have)
	}
}

func TestAbout(t *testing.T) {
	tests := map[time.Duration]string{
		9 * time.Minute:        "about 9 minutes",
		89 * time.Second:       "about 89 seconds",
		5 * time.Second:        "about 5 seconds",
		200 * time.Millisecond: "a moment",
	}
	for d, want := range tests {
		require.Equal(t, want, about(d))
	}
}
