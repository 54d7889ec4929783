package catalog

import (
	_ "embed" // the list of names
	"slices"
	"strings"
	"sync"

	"github.com/agext/levenshtein"
)

//go:embed data/variable-names.tsv
var variableNameFile string

// variableNames gives the program that reads each name.
var variableNames = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(variableNameFile) {
		if name, program, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && !strings.HasPrefix(line, "#") {
			out[name] = program
		}
	}
	return out
})

// judgedNames are the beginnings of names of programs that were read in all their releases.
var judgedNames = []string{"NCCL_", "OFI_NCCL_", "FI_"}

// providerNames are beginnings of names that belong to other providers of libfabric, whose names were not read.
var providerNames = []string{
	"FI_CXI_", "FI_LNX_", "FI_LPP_", "FI_MRAIL_", "FI_NET_", "FI_OFI_", "FI_OPX_", "FI_PSM2_", "FI_PSM3_", "FI_RXM_", "FI_RXD_", "FI_SHM_", "FI_SM2_",
	"FI_SOCKETS_", "FI_TCP_", "FI_UCX_", "FI_UDP_", "FI_USNIC_", "FI_VERBS_", "FI_COLL_", "FI_HOOK_",
}

// ownEndings end names that images and scripts make for themselves: versions to install and places to find.
var ownEndings = []string{"_VERSION", "_PATH", "_DIR", "_HOME", "_URL", "_TAG", "_IMAGE", "_CONTAINER", "_BRANCH", "_REPO"}

// ReadBy tells which program reads a variable of NCCL, aws-ofi-nccl or libfabric. judged is false for a name that is not one of theirs by its
// beginning; program is empty for one that is, and that no release reads.
func ReadBy(name string) (program string, judged bool) {
	if program, ok := variableNames()[name]; ok {
		return program, true
	}
	if beginsWith(name, providerNames) || slices.ContainsFunc(ownEndings, func(end string) bool { return strings.HasSuffix(name, end) }) || !beginsWith(name, judgedNames) {
		return "", false
	}
	for _, v := range variableTable { // of plugins and releases that were not read
		if matches(v.Name, name) {
			return string(v.Origin), true
		}
	}
	return "", true
}

func beginsWith(name string, beginnings []string) bool {
	for _, b := range beginnings {
		if strings.HasPrefix(name, b) {
			return true
		}
	}
	return false
}

// NearestVariable gives the name that a program reads and that is most like another one.
func NearestVariable(name string) string {
	best, least := "", 0
	for other := range variableNames() {
		d := levenshtein.Distance(name, other, nil)
		if best == "" || d < least || d == least && other < best {
			best, least = other, d
		}
	}
	return best
}
