package topology

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/diag"
)

// The tag that says what ParallelCluster launched an instance for, and its value for those that do not compute.
const (
	nodeTypeTag = "parallelcluster:node-type"
	computeNode = "Compute"
)

func (r *reader) position(raw json.RawMessage, path string) {
	var p struct {
		InstanceID       string   `json:"InstanceId"`
		InstanceType     string   `json:"InstanceType"`
		AvailabilityZone string   `json:"AvailabilityZone"`
		ZoneID           string   `json:"ZoneId"`
		CapacityBlockID  string   `json:"CapacityBlockId"`
		NetworkNodes     []string `json:"NetworkNodes"`
	}
	if !r.decode(raw, path, &p) || !r.named(p.InstanceID, path) || !r.whole(p.NetworkNodes, path) {
		return
	}
	r.out.Positions = append(r.out.Positions, Position{
		File: r.file, Instance: p.InstanceID, Type: p.InstanceType, Zone: Zone{p.AvailabilityZone, p.ZoneID}, Path: p.NetworkNodes,
		UltraServer: p.CapacityBlockID,
	})
}

// reservation is one of DescribeCapacityReservationTopology; one of DescribeCapacityReservations tells no network nodes, and nothing else that
// is of use here.
func (r *reader) reservation(raw json.RawMessage, path string) {
	var c struct {
		CapacityReservationID string   `json:"CapacityReservationId"`
		InstanceType          string   `json:"InstanceType"`
		AvailabilityZone      string   `json:"AvailabilityZone"`
		AvailabilityZoneID    string   `json:"AvailabilityZoneId"`
		State                 string   `json:"State"`
		NetworkNodes          []string `json:"NetworkNodes"`
		ReservationType       string   `json:"ReservationType"`
		InstancePlatform      string   `json:"InstancePlatform"`
	}
	if !r.decode(raw, path, &c) || !r.named(c.CapacityReservationID, path) || !r.whole(c.NetworkNodes, path) {
		return
	}
	if c.NetworkNodes == nil && c.ReservationType+c.InstancePlatform != "" {
		return
	}
	r.out.Reservations = append(r.out.Reservations, Reservation{
		File: r.file, ID: c.CapacityReservationID, Type: c.InstanceType, Zone: Zone{c.AvailabilityZone, c.AvailabilityZoneID}, State: c.State,
		Path: c.NetworkNodes,
	})
}

func (r *reader) instance(raw json.RawMessage, path, owner string) {
	var i struct {
		InstanceID            string `json:"InstanceId"`
		InstanceType          string `json:"InstanceType"`
		PrivateDNSName        string `json:"PrivateDnsName"`
		PrivateIPAddress      string `json:"PrivateIpAddress"`
		CapacityReservationID string `json:"CapacityReservationId"`
		InstanceLifecycle     string `json:"InstanceLifecycle"`
		State                 struct {
			Name string `json:"Name"`
		} `json:"State"`
		Placement struct {
			AvailabilityZone   string `json:"AvailabilityZone"`
			AvailabilityZoneID string `json:"AvailabilityZoneId"`
		} `json:"Placement"`
		Tags []struct {
			Key   string `json:"Key"`
			Value string `json:"Value"`
		} `json:"Tags"`
	}
	if !r.decode(raw, path, &i) || !r.named(i.InstanceID, path) {
		return
	}
	out := Instance{
		File: r.file, ID: i.InstanceID, Owner: owner, Type: i.InstanceType, State: i.State.Name, Host: i.PrivateDNSName, Address: i.PrivateIPAddress,
		Zone: Zone{i.Placement.AvailabilityZone, i.Placement.AvailabilityZoneID}, Reservation: i.CapacityReservationID,
		Block: i.InstanceLifecycle == "capacity-block",
	}
	for _, t := range i.Tags {
		out.Tag(t.Key, t.Value)
	}
	r.out.Instances = append(r.out.Instances, out)
}

// Tag takes what a tag of the instance tells.
func (i *Instance) Tag(key, value string) {
	if key == nodeTypeTag {
		i.Pcluster, i.Head = true, value != computeNode
	}
}

func (r *reader) slurmNodes(raw json.RawMessage, path string) {
	var nodes []struct {
		Name     string `json:"name"`
		Address  string `json:"address"`
		Hostname string `json:"hostname"`
	}
	if !r.decode(raw, path, &nodes) {
		return
	}
	for _, n := range nodes {
		if r.named(n.Name, path) {
			r.out.Nodes = append(r.out.Nodes, Node{r.file, n.Name, n.Address, n.Hostname})
		}
	}
}

func (r *reader) decode(raw json.RawMessage, path string, into any) bool {
	if err := json.Unmarshal(raw, into); err != nil {
		r.unreadable(diag.Place{Path: path}, "%v", err)
		return false
	}
	return true
}

func (r *reader) named(id, path string) bool {
	if id == "" {
		r.unreadable(diag.Place{Path: path}, "an entry without its id")
	}
	return id != ""
}

// whole refuses a path with a hole: what stands below it would be taken for the wrong layer.
func (r *reader) whole(path []string, at string) bool {
	if slices.Contains(path, "") {
		r.unreadable(diag.Place{Path: at + ".NetworkNodes"}, "an empty id among the network nodes")
		return false
	}
	return true
}

// String is the zone's id, or its name where the id is not told.
func (z Zone) String() string { return cmp.Or(z.ID, z.Name) }

func join(path, key string) string { return strings.TrimPrefix(path+"."+key, ".") }

func keys(object map[string]json.RawMessage) []string {
	var out []string
	for k := range object {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// excerpt is the beginning of a value, for a finding.
func excerpt(raw json.RawMessage) string {
	const most = 40
	text := strings.ToValidUTF8(string(raw), "?")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
