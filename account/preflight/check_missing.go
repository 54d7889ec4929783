package preflight

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"

	"github.com/weft-hpc/weft/fabric/plan"
)

// An id that differs from another one in no more letters than this was probably meant to be it: ids of EC2 are 17
// random hexadecimal digits, of which two hardly ever share so many.
const typingErrors = 3

// judgeMissing names what the config names and the account does not have. What could not be read is not missing.
func judgeMissing(v *view) {
	if !v.observed.denied(readReservations) {
		v.missingReservations()
	}
	if v.plan.Config.Network.Existing != nil {
		v.missingNetwork()
	}
	if !v.observed.denied(readImages) {
		v.missingObjects("image", imageUses(v.plan), func(id string) bool { _, ok := v.observed.image(id); return ok },
			"name an image that exists in %s and that this account may launch", "EC2 API, DescribeImages")
	}
}

func (v *view) missingNetwork() {
	const hint = "name one of %s: check the id, the Region and the account"
	if !v.observed.denied(readVPC) {
		v.missingObjects("VPC", []use{{v.plan.Network.VPC, "network.existing.vpc"}},
			func(string) bool { return v.observed.VPC != nil }, hint, "EC2 API, DescribeVpcAttribute")
	}
	if !v.observed.denied(readSubnets) {
		v.missingObjects("subnet", subnetUses(v.plan), func(id string) bool { _, ok := v.observed.subnet(id); return ok },
			hint, "EC2 API, DescribeSubnets")
	}
	if !v.observed.denied(readSecurityGroups) {
		v.missingObjects("security group", securityGroupUses(v.plan), func(id string) bool { _, ok := v.observed.securityGroup(id); return ok },
			hint, "EC2 API, DescribeSecurityGroups")
	}
}

func (v *view) missingObjects(noun string, uses []use, exists func(string) bool, hint, source string) {
	for _, u := range uses {
		if u.id == "" || exists(u.id) {
			continue
		}
		v.add(at(u.path, u.id), fmt.Sprintf("no %s %s in %s", noun, u.id, v.plan.Region),
			"one of this account, or shared with it", fmt.Sprintf(hint, v.plan.Region), source)
	}
}

// missingReservations tells a mistyped reservation from one that ended, as far as the account shows: EC2 forgets a
// reservation some time after its end, and answers the same for both.
func (v *view) missingReservations() {
	seen := []string{}
	for i, g := range v.plan.Groups {
		id := g.Capacity.Reservation
		if _, exists := v.observed.reservation(id); id == "" || exists || slices.Contains(seen, id) {
			continue
		}
		seen = append(seen, id)
		likely, hint := v.whyMissing(id, g)
		v.add(at(reservationPath(i, g), id), fmt.Sprintf("no capacity reservation %s in %s: %s", id, v.plan.Region, likely),
			"a reservation of this account, or shared with it", hint, "EC2 API, DescribeCapacityReservations; aws/aws-parallelcluster#6870")
	}
}

// whyMissing gives what probably happened, and the way out.
func (v *view) whyMissing(id string, g plan.NodeGroup) (likely, hint string) {
	if s := v.observed.Stack; s != nil && strings.Contains(s.Config, `"`+id+`"`) {
		return "it ended, and EC2 has forgotten it: the running cluster was made with this id",
			"remove group " + g.Name + ", or give it the next reservation"
	}
	if near, ok := nearest(id, v.observed.Neighbours); ok {
		return "probably mistyped", "did you mean " + near.String() + "?"
	}
	likely = "mistyped, of another Region or account, or ended so long ago that EC2 has forgotten it"
	var fitting []string
	for _, r := range v.observed.Neighbours {
		if r.Type == g.InstanceType && !ended(r.State) {
			fitting = append(fitting, r.String())
		}
	}
	if len(fitting) == 0 {
		return likely, fmt.Sprintf("check the id and the Region: the account has no reservation of %s in %s", g.InstanceType, v.plan.Region)
	}
	return likely, "of this type the account has " + strings.Join(fitting, ", ")
}

// nearest finds the reservation whose id differs from the given one by typing errors only.
func nearest(id string, among []Reservation) (Reservation, bool) {
	best, found := typingErrors+1, Reservation{}
	for _, r := range among {
		if d := levenshtein.Distance(id, r.ID, nil); d < best {
			best, found = d, r
		}
	}
	return found, best <= typingErrors
}
