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
