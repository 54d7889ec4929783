package sweep

import (
	"math"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/validation/evidence"
)

// collective names what was run: after the program, whose name the log has since 2.16.7; before that only where the rows leave no doubt.
func collective(s *evidence.Sweep) string {
	if s.Program != "" {
		name, _, _ := strings.Cut(s.Program, "_perf")
		return name
	}
	fitting := slices.DeleteFunc(slices.Clone(kinds[:]), func(k kind) bool { return !k.fits(s) })
	if len(fitting) != 1 {
		return ""
	}
	return fitting[0].name
}

// kind is what the rows of a collective look like.
type kind struct {
	name   string
	reduce bool // has an operation: its column says none otherwise
	root   bool // one rank is the root: the column says -1 otherwise
	// factor gives busbw / algbw for n ranks: the definitions of nccl-tests' doc/PERFORMANCE.md.
	factor func(n float64) float64
	shared bool // size is count × type × ranks
	// unchecked says that results in place are not compared, since 2.13.1.
	unchecked bool
}

func one(float64) float64      { return 1 }
func others(n float64) float64 { return (n - 1) / n }
func twice(n float64) float64  { return 2 * (n - 1) / n }

var kinds = [...]kind{
	{name: "all_gather", factor: others, shared: true},
	{name: "all_reduce", reduce: true, factor: twice},
	{name: "alltoall", factor: others, shared: true, unchecked: true},
	{name: "broadcast", root: true, factor: one},
	{name: "gather", root: true, factor: others, shared: true},
	{name: "hypercube", factor: one, shared: true},
	{name: "reduce", reduce: true, root: true, factor: one},
	{name: "reduce_scatter", reduce: true, factor: others, shared: true},
	{name: "scatter", root: true, factor: others, shared: true},
	{name: "sendrecv", reduce: true, factor: one, unchecked: true},
}

// fits reports whether every row can be one of the collective. At least one row must be fast enough to tell its factor.
func (k kind) fits(s *evidence.Sweep) bool {
	n, told := float64(s.RankCount), false
	for i := range s.Rows {
		row := &s.Rows[i]
		if !k.shaped(row) || !k.sized(row, n) || !k.checked(row) {
			return false
		}
		h := row.OutOfPlace
		if h == nil || h.AlgGBps < 10 {
			continue // two decimals tell too little
		}
		if math.Abs(h.BusGBps/h.AlgGBps-k.factor(n)) > 0.01 {
			return false
		}
		told = true
	}
	return told && n > 1 && s.Worlds == 1
}

func (k kind) shaped(row *evidence.Row) bool {
	return k.reduce == (row.Redop != "" && row.Redop != "none") && k.root == (row.Root >= 0)
}

// sized reports whether size and count are those of one rank, or of all.
func (k kind) sized(row *evidence.Row, n float64) bool {
	width := float64(row.Bytes) / float64(row.Count)
	if k.shared {
		width /= n
	}
	return width == 1 || width == 2 || width == 4 || width == 8
}

// checked reports whether what was compared fits: N/A in place beside a count out of place tells the collectives that do not compare there.
func (k kind) checked(row *evidence.Row) bool {
	out, in := row.OutOfPlace, row.InPlace
	return k.unchecked || out == nil || in == nil || out.Wrong == nil || in.Wrong != nil
}
