package preflight

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
)

const bringYourOwn = ", or make the file system yourself, with a mount target in each zone of the cluster, and name it: efs: {existing: fs-…}"

// judgeMountTargets: a new EFS file system gets a mount target in each compute subnet. EFS takes one in a zone, and a node mounts
// through that of its own zone; in which zones existing subnets lie only the account tells.
func (v *view) judgeMountTargets() {
	i := slices.IndexFunc(v.plan.Config.Storage, func(s config.Storage) bool { return s.EFS != nil && s.EFS.Existing == "" })
	if i < 0 || v.plan.Network.Create {
		return
	}
	path := fmt.Sprintf("storage[%d].efs", i)
	targets, complete := map[string]string{}, true // subnets by zone
	var zones []string
	for _, compute := range v.plan.Network.Compute {
		s, ok := v.observed.subnet(compute.ID)
		first := targets[s.Zone]
		switch {
		case !ok: // account/missing names it
			complete = false
		case first != "":
			v.add(at(path, s.ID), fmt.Sprintf("%s and %s both lie in %s", first, s.ID, zone{s.Zone, s.ZoneID}),
				"one compute subnet in each zone: the file system gets a mount target in each, and EFS takes one in a zone",
				"give the groups of that zone one subnet"+bringYourOwn, "EFS API, CreateMountTarget: MountTargetConflict")
		default:
			targets[s.Zone] = s.ID
			zones = append(zones, zone{s.Zone, s.ZoneID}.String())
		}
	}
	if complete {
		v.judgeMounts(at(path, v.plan.Network.Head), v.plan.Network.Head, "the head node", targets, zones)
		if len(v.plan.Config.LoginNodes) > 0 && v.plan.Network.Login != v.plan.Network.Head {
			v.judgeMounts(at(path, v.plan.Network.Login), v.plan.Network.Login, "login nodes", targets, zones)
		}
	}
}

// judgeMounts looks for the mount target that nodes of a subnet would use.
func (v *view) judgeMounts(place diag.Place, subnet, who string, targets map[string]string, zones []string) {
	s, ok := v.observed.subnet(subnet)
	if !ok || targets[s.Zone] != "" {
		return
	}
	v.add(place, fmt.Sprintf("%s of %s lies in %s", s.ID, who, zone{s.Zone, s.ZoneID}),
		"a zone with a mount target: the file system gets them where groups stand, in "+strings.Join(zones, ", "),
		"put "+who+" into a subnet of such a zone"+bringYourOwn, "ParallelCluster, EfsIdValidator")
}
