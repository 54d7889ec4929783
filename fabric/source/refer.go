package source

import (
	"slices"

	"github.com/weft-hpc/weft/fabric/rule"
)

// Referred gives what of an account the files of a set can refer to: what else launches there is nobody's question. Launch
// templates stay where somebody in the files launches by them.
func Referred(account, files rule.Set) rule.Set {
	names := templatesOf(files)
	account.Instances, account.Groups, account.NodeScripts, account.JobScripts = nil, nil, nil, nil
	account.Templates = slices.DeleteFunc(slices.Clone(account.Templates), func(t rule.LaunchTemplate) bool {
		return !slices.Contains(names, t.ID.Or("")) && !slices.Contains(names, t.Alias.Or(""))
	})
	return account
}

// templatesOf lists the ids and names of the launch templates that a set launches by.
func templatesOf(s rule.Set) []string {
	var refs []rule.Value[string]
	for _, g := range s.Groups {
		refs = append(refs, g.Template)
	}
	for _, i := range s.Instances {
		refs = append(refs, i.Template)
	}
	for _, c := range s.Clusters {
		for _, q := range c.Queues.Items {
			for _, r := range q.Resources.Items {
				refs = append(refs, r.Override)
			}
		}
	}
	var out []string
	for _, ref := range refs {
		if name, ok := ref.Get(); ok && name != "" {
			out = append(out, name)
		}
	}
	return out
}

// Unseen lists, sorted, the reservations that the files of a set launch into and that the set does not hold: of what kind, size and zone they
// are, and whether they have ended, nobody could judge.
func Unseen(s rule.Set) []string {
	var refs []rule.Value[string]
	for _, t := range s.Templates {
		refs = append(refs, t.Reservation)
	}
	for _, i := range s.Instances {
		refs = append(refs, i.Reservation)
	}
	for _, c := range s.Clusters {
		for _, q := range c.Queues.Items {
			refs = append(refs, q.Target.ID)
			for _, r := range q.Resources.Items {
				refs = append(refs, r.Target.ID)
			}
		}
	}
	held := map[string]bool{"": true}
	for _, r := range s.Reservations {
		held[r.ID.Or("")] = true
	}
	var out []string
	for _, ref := range refs {
		if id := ref.Or(""); !held[id] {
			held[id] = true
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}
