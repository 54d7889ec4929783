package permission

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// grant is some actions on some resources. Resources are written as Scope.arns takes them.
type grant struct {
	name    string // what the grant is for, one word: it becomes a part of the statement's id
	actions []string
	on      []string
	when    Condition
}

// key tells grants apart that can't be one statement.
func (g grant) key() string { return fmt.Sprint(g.on, g.when.text()) }

// narrowing is what one action may be narrowed to. An action that needs it for two kinds of call has two.
type narrowing struct {
	name string
	on   []string
	when Condition
}

// anything: EC2 and Service Quotas take no resource for what they list.
var anything = narrowing{name: "Read", on: []string{"*"}}

const (
	reservationARN = "ec2:capacity-reservation/*"
	journalARN     = "ssm:parameter/weft/purchases/*"
)

// narrowings, of actions that take a resource or a condition (AWS Service Authorization Reference; the tests hold a copy of
// what it says about each). Other actions are for "*".
var narrowings = map[string][]narrowing{
	// A block is bought with the tags that tell whose it is, or not at all.
	"ec2:PurchaseCapacityBlock": {{"Purchase", []string{reservationARN}, Condition{"Null": {"aws:RequestTag/weft:project": {"false"}}}}},
	// An adopted block carries no tag of weft's, and may be extended.
	"ec2:PurchaseCapacityBlockExtension": {{"Extend", []string{reservationARN}, nil}},
	"ec2:CreateTags": {
		{"TagPurchase", []string{reservationARN}, Condition{"StringEquals": {"ec2:CreateAction": {"PurchaseCapacityBlock"}}}},
		{"TagOwn", []string{reservationARN}, ownBlock},
	},
	"ec2:DeleteTags": {{"TagOwn", []string{reservationARN}, ownBlock}},

	// The journal is never written over: StringNotEquals holds where the request says nothing about it, too.
	"ssm:GetParametersByPath": {{"ReadJournal", []string{journalARN}, nil}},
	"ssm:PutParameter":        {{"WriteJournal", []string{journalARN}, Condition{"StringNotEquals": {"ssm:Overwrite": {"true"}}}}},

	"ssm:SendCommand": {
		{"RunDocument", []string{"ssm::document/AWS-RunShellScript"}, nil},
		{"RunOnHeadNode", []string{"ec2:instance/*"}, Condition{"StringLike": {
			"ssm:resourceTag/parallelcluster:cluster-name": {"{cluster}"}, "ssm:resourceTag/parallelcluster:node-type": {"HeadNode"},
		}}},
	},

	"ec2:DescribeCapacityBlockExtensionOfferings": {{"ReadExtensions", []string{reservationARN}, nil}},
	"ec2:DescribeVpcAttribute":                    {{"ReadVPC", []string{"ec2:vpc/*"}, nil}},
	"servicequotas:GetServiceQuota":               {{"ReadQuotas", []string{"servicequotas:ec2/*", "servicequotas:vpc/*"}, nil}},

	"cloudformation:DescribeStacks": {{"ReadStack", []string{"cloudformation:stack/{stack}/*"}, nil}},
	"cloudformation:GetTemplate": {
		{"ReadStack", []string{"cloudformation:stack/{stack}/*"}, nil},
		{"ReadProvider", []string{"cloudformation:stack/{stack}-provider/*"}, nil},
	},
	"dynamodb:GetItem": {{"ReadFleet", []string{"dynamodb:table/parallelcluster-{cluster}"}, nil}},
}

// ownBlock is a block that weft bought.
var ownBlock = Condition{"Null": {"aws:ResourceTag/weft:project": {"false"}}}

// called makes grants of the actions of calls, each narrowed as far as it can be.
func called(actions func(Scope) []string) func(Scope) []grant {
	return func(s Scope) []grant {
		var out []grant
		for _, action := range actions(s) {
			for _, n := range orAnything(narrowings[action]) {
				out = append(out, grant{n.name, []string{action}, n.on, n.when})
			}
		}
		return merge(out)
	}
}

func orAnything(list []narrowing) []narrowing {
	if len(list) == 0 {
		return []narrowing{anything}
	}
	return list
}

// merge makes one grant of those for the same resources and conditions, sorted by name.
func merge(list []grant) []grant {
	found := map[string]grant{}
	for _, g := range list {
		m, known := found[g.key()]
		if !known {
			m = grant{name: g.name, on: g.on, when: g.when}
		}
		m.actions = append(m.actions, g.actions...)
		found[g.key()] = m
	}
	out := slices.Collect(maps.Values(found))
	for i := range out {
		slices.Sort(out[i].actions)
		out[i].actions = slices.Compact(out[i].actions)
	}
	slices.SortFunc(out, func(a, b grant) int {
		return strings.Compare(a.name+" "+a.key(), b.name+" "+b.key())
	})
	return out
}

// camel writes words that stand between hyphens as one: capacity-buy is CapacityBuy. IAM takes letters and digits only.
func camel(text string) string {
	var out strings.Builder
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		out.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return out.String()
}
