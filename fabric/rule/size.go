package rule

import (
	"fmt"
	"strings"
)

// share is what one group takes of a reservation.
type share struct {
	reservation Reservation
	place       Input
	path        string
	who         string
	nodes       int
}

// judgeSize adds up over all groups that launch into one reservation.
func judgeSize(v *view) {
	shares := v.shares()
	var done []string
	for _, s := range shares {
		key := s.reservation.Key + "\x00" + s.reservation.ID.Or("")
		if contains(done, key) {
			continue
		}
		done = append(done, key)
		asked, who := 0, []string{}
		for _, other := range shares {
			if other.reservation.Key+"\x00"+other.reservation.ID.Or("") == key {
				asked += other.nodes
				who = append(who, fmt.Sprintf("%s %d", other.who, other.nodes))
			}
		}
		size, ok := need(v, s.reservation.Input, s.reservation.Count)
		if ok && asked > size {
			v.add(at(s.place, s.path), fmt.Sprintf("%d instances asked for: %s", asked, strings.Join(who, ", ")),
				fmt.Sprintf("at most %d, which %s holds", size, s.reservation.name()), fmt.Sprintf("lower the counts by %d, or use a larger reservation", asked-size), sourceBlocks)
		}
	}
}

func contains(list []string, text string) bool {
	for _, s := range list {
		if s == text {
			return true
		}
	}
	return false
}

// shares lists who launches into reservations of the set, and how many nodes at most.
func (v *view) shares() []share {
	var out []share
	for _, l := range v.launches {
		r, ok := v.reservation(l.Reservation)
		if !ok {
			continue
		}
		if l.noun == "instance" {
			out = append(out, share{r, l.Input, l.Reservation.Path, "instance " + l.name(), 1})
		}
		for _, u := range l.users {
			if u.group == nil {
				continue
			}
			if nodes, ok := need(v, u.Input, u.nodes); ok {
				out = append(out, share{r, u.Input, u.nodes.Path, u.noun + " " + u.name(), nodes})
			}
		}
	}
	v.eachTarget(func(t target) {
		r, ok := v.reservation(t.ID)
		if !ok || t.resource.Max.IsUnknown() {
			return
		}
		nodes := t.resource.Max.Or(defaultMaxCount)
		path := orElse(t.resource.Max.Path, t.resource.Path)
		out = append(out, share{r, t.Input, path, "compute resource " + t.resource.Name.Or(""), nodes})
	})
	return out
}
