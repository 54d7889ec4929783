// Package show writes a topology as text that an engineer reads.
package show

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/lipgloss/tree"
	"github.com/muesli/termenv"

	table "github.com/weft-hpc/weft/fabric/plan/show"
	"github.com/weft-hpc/weft/fabric/topology"
)

// Text writes the tree of a topology, its distances, what its reservations share and the order of its hosts. Parts without content are left out.
func Text(w io.Writer, t topology.Topology, color bool) error {
	s := shower{w: w, topology: t, faint: lipgloss.NewStyle(), strong: lipgloss.NewStyle()}
	if color {
		// The profile is fixed: the caller has decided that there is a terminal with colours, and nothing here asks again.
		r := lipgloss.NewRenderer(io.Discard, termenv.WithProfile(termenv.ANSI))
		r.SetColorProfile(termenv.ANSI)
		s.faint, s.strong = r.NewStyle().Faint(true), r.NewStyle().Bold(true)
	}
	s.tree()
	s.distances()
	s.reservations()
	s.hosts()
	if s.err != nil {
		return fmt.Errorf("writing a topology: %w", s.err)
	}
	return nil
}

type shower struct {
	w             io.Writer
	topology      topology.Topology
	faint, strong lipgloss.Style
	parts         int
	err           error
}

func (s *shower) line(text string) {
	if s.err == nil {
		_, s.err = io.WriteString(s.w, strings.TrimRight(text, " ")+"\n")
	}
}

// part begins a part with its title, behind an empty line where there is one before.
func (s *shower) part(title string) {
	if s.parts++; s.parts > 1 {
		s.line("")
	}
	s.line(s.strong.Render(title))
}

func (s *shower) table(header table.Row, rows []table.Row) {
	if s.err == nil {
		s.err = table.Table(s.w, "  ", header, rows...)
	}
}

func (s *shower) tree() {
	if len(s.topology.Places) == 0 {
		return
	}
	s.part("network")
	widths := columns(s.topology.Places)
	zone := "\n" // none has this name
	var root *tree.Tree
	flush := func() {
		if root != nil {
			s.block(root.String())
		}
	}
	for _, top := range s.topology.Tree() {
		if root == nil || top.Zone != zone {
			flush()
			zone = top.Zone
			root = s.root(cmp.Or(zone, "zone unknown"))
		}
		root.Child(s.branch(top, widths))
	}
	flush()
	if unplaced := s.topology.Unplaced(); len(unplaced) > 0 {
		root := s.root("place unknown")
		for _, p := range unplaced {
			root.Child(s.place(p, widths))
		}
		s.block(root.String())
	}
}

func (s *shower) root(title string) *tree.Tree {
	return tree.Root(title).EnumeratorStyle(s.faint.PaddingRight(1))
}

func (s *shower) block(text string) {
	for line := range strings.Lines(text) {
		s.line("  " + strings.TrimRight(line, "\n"))
	}
}

func (s *shower) branch(n *topology.Switch, widths []int) *tree.Tree {
	out := s.root(s.faint.Render(n.ID))
	for _, below := range n.Switches {
		out.Child(s.branch(below, widths))
	}
	for _, p := range n.Places {
		out.Child(s.place(p, widths))
	}
	return out
}

// cells are what is shown of a place.
func cells(p topology.Place) []string {
	ultra := p.UltraServer
	if ultra != "" {
		ultra = "UltraServer " + ultra
	}
	account := ""
	if p.Account > 0 {
		account = fmt.Sprintf("account %d", p.Account)
	}
	out := []string{p.Name(), "", p.Type, p.Reservation, ultra, account}
	switch {
	case p.Instance == "":
		out[1] = "no instance"
	case p.Instance != p.Name():
		out[1] = p.Instance
	}
	return out
}

func columns(places []topology.Place) []int {
	var out []int
	for _, p := range places {
		for i, cell := range cells(p) {
			if i == len(out) {
				out = append(out, 0)
			}
			out[i] = max(out[i], lipgloss.Width(cell))
		}
	}
	return out
}

func (s *shower) place(p topology.Place, widths []int) string {
	var b strings.Builder
	for i, cell := range cells(p) {
		if widths[i] == 0 {
			continue
		}
		pad := strings.Repeat(" ", widths[i]-lipgloss.Width(cell)+2)
		if i == 0 {
			cell = s.strong.Render(cell)
		}
		b.WriteString(cell + pad)
	}
	return strings.TrimRight(b.String(), " ")
}

// shownPairs is how many pairs of each distance are shown: names of hosts are long.
const shownPairs = 2

func (s *shower) distances() {
	var rows []table.Row
	for _, c := range s.topology.Classes() {
		var sample []string
		for _, pair := range c.Sample[:min(len(c.Sample), shownPairs)] {
			sample = append(sample, pair[0]+" "+pair[1])
		}
		rows = append(rows, table.Row{c.Says, c.Pairs, c.Between, strings.Join(sample, ", ")})
	}
	if len(rows) > 0 {
		s.part("distances")
		s.table(table.Row{"distance", "pairs", "between reservations", "some of them"}, rows)
	}
}

func (s *shower) reservations() {
	if len(s.topology.Reservations) > 0 {
		var rows []table.Row
		for _, r := range s.topology.Reservations {
			rows = append(rows, table.Row{r.ID, r.State, r.Type, r.Zone.String(), cmp.Or(strings.Join(r.Path, " "), "unknown")})
		}
		s.part("reservations")
		s.table(table.Row{"reservation", "state", "type", "zone", "network nodes, from the top"}, rows)
	}
	var rows []table.Row
	for _, c := range s.topology.Compare() {
		rows = append(rows, table.Row{c.A, c.B, c.Says})
	}
	if len(rows) > 0 {
		s.part("between reservations")
		s.table(table.Row{"one", "other", "in the network"}, rows)
	}
}

func (s *shower) hosts() {
	hosts, _ := s.topology.Hosts()
	if len(hosts) == 0 {
		return
	}
	s.part("hosts in order")
	for _, h := range hosts {
		s.line("  " + h)
	}
}
