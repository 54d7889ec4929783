package catalog

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The figures that the EC2 User Guide and the instance types guide print, against what was generated.
func TestInstanceFiguresMatchTheDocumentedTable(t *testing.T) {
	tests := []struct {
		name                             string
		accelerators                     int
		accelerator                      string
		vcpus, cards, maxInterfaces, efa int
		gbps                             float64
		gdrRequired                      bool
		generation                       int
		nitro                            string
		nvmeGB                           int
		blocks                           BlockKind
	}{
		{"p4d.24xlarge", 8, "A100", 96, 4, 15, 4, 400, true, 1, "v3", 8000, InstanceBlocks},
		{"p4de.24xlarge", 8, "A100", 96, 4, 15, 4, 400, true, 1, "v3", 8000, InstanceBlocks},
		{"p5.4xlarge", 1, "H100", 16, 1, 4, 1, 100, false, 2, "v4", 3800, InstanceBlocks},
		{"p5.48xlarge", 8, "H100", 192, 32, 2, 32, 3200, true, 2, "v4", 30400, InstanceBlocks},
		{"p5e.48xlarge", 8, "H200", 192, 32, 2, 32, 3200, true, 2, "v4", 30400, InstanceBlocks},
		{"p5en.48xlarge", 8, "H200", 192, 16, 4, 16, 3200, true, 3, "v5", 30400, InstanceBlocks},
		{"p6-b200.48xlarge", 8, "B200", 192, 8, 4, 8, 3200, true, 4, "v6", 30400, InstanceBlocks},
		{"p6-b300.48xlarge", 8, "B300", 192, 17, 4, 16, 6400, true, 4, "v6", 30400, InstanceBlocks},
		{"p6e-gb200.36xlarge", 4, "B200", 144, 17, 0, 8, 1600, true, 3, "v5", 22500, UltraServerBlocks},
		{"g6e.8xlarge", 1, "L40S", 32, 1, 8, 1, 25, false, 2, "v4", 900, NoBlocks},
		{"g6e.12xlarge", 4, "L40S", 48, 1, 10, 1, 100, false, 2, "v4", 3800, NoBlocks},
		{"g6e.16xlarge", 1, "L40S", 64, 1, 15, 1, 35, false, 2, "v4", 1900, NoBlocks},
		{"g6e.24xlarge", 4, "L40S", 96, 2, 10, 2, 200, false, 2, "v4", 3800, NoBlocks},
		{"g6e.48xlarge", 8, "L40S", 192, 4, 10, 4, 400, false, 2, "v4", 7600, NoBlocks},
		{"g7e.8xlarge", 1, "RTX PRO Server 6000", 32, 1, 8, 1, 100, false, 4, "v6", 1900, NoBlocks},
		{"g7e.12xlarge", 2, "RTX PRO Server 6000", 48, 1, 10, 1, 400, true, 4, "v6", 3800, NoBlocks},
		{"g7e.24xlarge", 4, "RTX PRO Server 6000", 96, 2, 10, 2, 800, true, 4, "v6", 7600, NoBlocks},
		{"g7e.48xlarge", 8, "RTX PRO Server 6000", 192, 4, 10, 4, 1600, true, 4, "v6", 15200, NoBlocks},
		{"trn1.32xlarge", 16, "Trainium", 128, 8, 5, 8, 800, true, 2, "v4", 7600, InstanceBlocks},
		{"trn1n.32xlarge", 16, "Trainium", 128, 16, 5, 16, 1600, true, 2, "v4", 7600, NoBlocks},
		{"trn2.48xlarge", 16, "Trainium2", 192, 16, 2, 16, 3200, true, 3, "v5", 7600, BothBlocks},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := Instance(tt.name)
			require.True(t, ok)
			require.Equal(t, tt.accelerators, got.Accelerator.Count)
			require.Equal(t, tt.accelerator, got.Accelerator.Name)
			require.Equal(t, tt.vcpus, got.VCPUs)
			require.Len(t, got.Cards, tt.cards)
			require.Equal(t, tt.maxInterfaces, got.Cards[0].MaxInterfaces)
			require.Equal(t, tt.efa, got.MaxEFA)
			require.InDelta(t, tt.gbps, got.EFA.Gbps, 0)
			require.Equal(t, tt.gdrRequired, got.EFA.GDRRequired)
			require.Equal(t, tt.generation, got.EFA.Generation)
			require.Equal(t, tt.nitro, got.EFA.Nitro)
			require.Equal(t, tt.generation >= 2, got.EFA.RDMAWrite)
			require.Equal(t, tt.nvmeGB, got.NVMeGB)
			require.Equal(t, tt.blocks, got.Blocks)
			require.Equal(t, tt.blocks == InstanceBlocks || tt.blocks == BothBlocks, got.OffersBlocks())
		})
	}
}

func TestCardFiguresThatLayoutsRestOn(t *testing.T) {
	b300, ok := Instance("p6-b300.48xlarge")
	require.True(t, ok)
	require.False(t, b300.PrimaryTakesEFA())
	require.Len(t, b300.EFACards(), 16)
	require.InDelta(t, 350, b300.Cards[0].PeakGbps, 0)
	require.InDelta(t, 400, b300.Cards[16].PeakGbps, 0)
	require.InDelta(t, 800, b300.EFAGbpsPerAccelerator(), 0)

	gb200, ok := Instance("p6e-gb200.36xlarge")
	require.True(t, ok)
	require.False(t, gb200.PrimaryTakesEFA())
	require.Len(t, gb200.EFACards(), 16)
	require.Equal(t, []int{1, 5, 9, 13}, gb200.SaveAddressesCards)
	require.False(t, gb200.Cards[1].Takes(TypeInterface), "odd cards are EFA only")
	require.True(t, gb200.Cards[2].Takes(TypeInterface))
	require.False(t, gb200.Verified("MaxEFA"))
	require.False(t, gb200.Verified("Cards.MaxInterfaces"))
	require.Equal(t, "u-p6e-gb200x36,u-p6e-gb200x72", gb200.UltraServer)

	p5en, ok := Instance("p5en.48xlarge")
	require.True(t, ok)
	require.True(t, p5en.PrimaryTakesEFA())
	require.InDelta(t, 400, p5en.EFAGbpsPerAccelerator(), 0)
	require.False(t, p5en.TakesEFA(16))
	require.Equal(t, "p5en", p5en.Family())
	_, ok = p5en.Card(-1)
	require.False(t, ok)
	require.Zero(t, InstanceType{EFA: EFA{Gbps: 100}}.EFAGbpsPerAccelerator())
}

// Types that take EFA on fewer interfaces than cards that could carry one: the figure is unverified, or the
// cards share bandwidth in pairs.
var fewerEFAThanCards = []string{"p6e-gb200.36xlarge"}

func TestInstanceTable(t *testing.T) {
	all := Instances()
	require.Len(t, all, 44)
	require.True(t, slices.IsSortedFunc(all, func(a, b InstanceType) int { return strings.Compare(a.Name, b.Name) }))
	for _, it := range all {
		t.Run(it.Name, func(t *testing.T) {
			require.Contains(t, []string{"x86_64", "arm64"}, it.Architecture)
			require.Positive(t, it.VCPUs)
			require.Positive(t, it.MemoryMiB)
			require.NotEmpty(t, it.UsageClasses)
			require.NotEmpty(t, it.Source.Ref)
			requireDay(t, it.Source.Date)
			checkCards(t, it)
			checkUnverified(t, it)
			require.Equal(t, it.Blocks != NoBlocks, slices.Contains(it.UsageClasses, "capacity-block"), "usage classes and block offers")
		})
	}
}

func checkCards(t *testing.T, it InstanceType) {
	t.Helper()
	require.NotEmpty(t, it.Cards)
	sum := 0
	for i, c := range it.Cards {
		require.Equal(t, i, c.Index)
		require.NotEmpty(t, c.Types)
		require.Subset(t, []string{TypeInterface, TypeEFA, TypeEFAOnly}, c.Types)
		require.LessOrEqual(t, c.BaselineGbps, c.PeakGbps)
		require.Equal(t, it.Verified("Cards.MaxInterfaces"), c.MaxInterfaces > 0)
		sum += c.MaxInterfaces
	}
	require.True(t, it.Cards[0].Takes(TypeInterface), "the primary interface needs IP")
	if it.Verified("MaxInterfaces") {
		require.Equal(t, sum, it.MaxInterfaces)
	}
	if slices.Contains(fewerEFAThanCards, it.Name) {
		require.Less(t, it.MaxEFA, len(it.EFACards()))
	} else {
		require.Len(t, it.EFACards(), it.MaxEFA)
	}
	for _, i := range slices.Concat(it.SaveAddressesCards, it.IPCards) {
		_, ok := it.Card(i)
		require.True(t, ok, "card %d", i)
	}
	for _, i := range it.SaveAddressesCards {
		require.True(t, it.TakesEFA(i), "card %d", i)
	}
}

func checkUnverified(t *testing.T, it InstanceType) {
	t.Helper()
	require.Equal(t, it.EFA.Gbps == 0, !it.Verified("EFA.Gbps"), "EFA.Gbps")
	if it.EFA.Generation == 0 {
		require.Contains(t, it.Unverified, "EFA.Generation")
	}
	if it.Accelerator.Count == 0 {
		require.Contains(t, it.Unverified, "Accelerator")
	}
	if it.EFA.RDMAWrite {
		require.GreaterOrEqual(t, it.EFA.Generation, 2, "RDMA write came with Nitro v4")
	}
	require.True(t, slices.IsSorted(it.Unverified))
}

func TestEFATypesHoldsEveryDetailedType(t *testing.T) {
	names := EFATypes()
	require.Len(t, names, 303+1, "EC2's answer and p6e-gb200")
	require.True(t, slices.IsSorted(names))
	for _, it := range Instances() {
		require.Equal(t, it.MaxEFA > 0, slices.Contains(names, it.Name), it.Name)
	}
}

func TestEFASupport(t *testing.T) {
	for name, want := range map[string]Support{
		"p5en.48xlarge":      Supported,
		"c5n.18xlarge":       Supported, // known by the list only
		"p6e-gb200.36xlarge": Supported,
		"t3.micro":           Unknown, // no list knows it: never "unsupported"
		"p9.96xlarge":        Unknown,
		"":                   Unknown,
	} {
		require.Equal(t, want, EFASupport(name), name)
	}
	require.Equal(t, Unsupported, support(false, InstanceType{}, true), "a detailed row without EFA")
	require.Equal(t, Supported, support(false, InstanceType{MaxEFA: 1}, true))
	require.Equal(t, "unknown", Unknown.String())
	require.Equal(t, "supported", Supported.String())
	require.Equal(t, "unsupported", Unsupported.String())
}

func TestNearestInstance(t *testing.T) {
	for name, want := range map[string]string{
		"p5en.48xlrge":    "p5en.48xlarge",
		"p6b200.48xlarge": "p6-b200.48xlarge",
		"p5en.48xlarge":   "p5en.48xlarge",
		"c5n.18xlrge":     "c5n.18xlarge",
		"banana":          "",
		"":                "",
	} {
		require.Equal(t, want, NearestInstance(name), name)
	}
}

// The list of EFA types and the detailed answer come from one answer: they must not contradict each other.
func TestEFAListAgreesWithDetails(t *testing.T) {
	raw, err := os.ReadFile("data/efa-types.tsv")
	require.NoError(t, err)
	seen := 0
	for line := range strings.Lines(string(raw)) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		it, ok := Instance(cells[0])
		if !ok {
			continue
		}
		seen++
		require.JSONEq(t, cells[1], mustJSON(t, it.MaxEFA), "%s MaxEFA", it.Name)
		require.JSONEq(t, cells[2], mustJSON(t, len(it.Cards)), "%s cards", it.Name)
		require.JSONEq(t, cells[3], mustJSON(t, it.Cards[0].MaxInterfaces), "%s interfaces of card 0", it.Name)
		require.JSONEq(t, cells[4], mustJSON(t, it.VCPUs), "%s vCPUs", it.Name)
	}
	require.Equal(t, 43, seen)
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

func requireDay(t *testing.T, day string) {
	t.Helper()
	_, err := time.Parse(time.DateOnly, day)
	require.NoError(t, err)
}
