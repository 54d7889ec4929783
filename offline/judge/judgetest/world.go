package judgetest

import (
	"strings"
	"testing"
	"time"

	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/judge"
)

// World is what the file of recorded verdicts says that the account held.
type World struct {
	Region       string                   `json:"region"`
	Reservations []RecordedBlock          `json:"capacityReservations"`
	Images       map[string]RecordedImage `json:"images"`
	KeyPairs     map[string]string        `json:"keyPairs"`
}

// RecordedBlock is a reservation of it.
type RecordedBlock struct {
	ID       string `json:"CapacityReservationId"`
	Type     string `json:"InstanceType"`
	Zone     string `json:"AvailabilityZone"`
	Platform string `json:"InstancePlatform"`
	State    string `json:"State"`
	Total    int    `json:"TotalInstanceCount"`
	Kind     string `json:"ReservationType"`
	Tags     []struct {
		Key   string `json:"Key"`
		Value string `json:"Value"`
	} `json:"Tags"`
}

// RecordedImage is an image of it.
type RecordedImage struct {
	Name         string            `json:"name"`
	Architecture string            `json:"architecture"`
	Tags         map[string]string `json:"tags"`
}

// Account serves the ids of the recorded one, and an EFS file system and a role besides. What the file describes in words (rules, routes, templates) is written out.
func (w World) Account(t testing.TB) account.World {
	t.Helper()
	main, other, bare := "vpc-main0000000000000", "vpc-other000000000000", "vpc-nodnsnames0000000"
	out := account.Rule{Protocol: "-1", CIDRs: []string{"0.0.0.0/0"}}
	self := account.Rule{Protocol: "-1", Groups: []string{"sg-self0000000000000"}}
	nfs := account.Rule{Protocol: "tcp", FromPort: 2049, ToPort: 2049, CIDRs: []string{"10.0.0.0/16"}}
	lustre := account.Rule{Protocol: "tcp", FromPort: 988, ToPort: 988, CIDRs: []string{"10.0.0.0/16"}}
	zoneA, zoneB := w.Region+"a", w.Region+"b"
	return account.World{
		Region: w.Region,
		VPCs: []account.VPC{
			{ID: main, CIDR: "10.0.0.0/16", DNSSupport: true, DNSHostnames: true},
			{ID: other, CIDR: "10.9.0.0/16", DNSSupport: true},
			{ID: bare, CIDR: "10.8.0.0/16", DNSSupport: true},
		},
		Subnets: []account.Subnet{
			{ID: "subnet-public00000000000", VPC: main, Zone: zoneA, CIDR: "10.0.0.0/24", MapPublicIP: true},
			{ID: "subnet-privatea000000000", VPC: main, Zone: zoneA, CIDR: "10.0.16.0/20"},
			{ID: "subnet-privateb000000000", VPC: main, Zone: zoneB, CIDR: "10.0.32.0/20"},
			{ID: "subnet-othervpc000000000", VPC: other, Zone: zoneA, CIDR: "10.9.0.0/24"},
			{ID: "subnet-nodnsnames0000000", VPC: bare, Zone: zoneA, CIDR: "10.8.0.0/24"},
		},
		SecurityGroups: []account.SecurityGroup{
			{ID: "sg-self0000000000000", VPC: main, Ingress: []account.Rule{self}, Egress: []account.Rule{out, self}},
			{ID: "sg-plain000000000000", VPC: main, Egress: []account.Rule{out}},
			{ID: "sg-lustre00000000000", VPC: main, Ingress: []account.Rule{lustre}, Egress: []account.Rule{out}},
			{ID: "sg-nfs00000000000000", VPC: main, Ingress: []account.Rule{nfs}, Egress: []account.Rule{out}},
		},
		Reservations: w.reservations(),
		ReservationGroups: []account.ReservationGroup{{
			ARN: "arn:aws:resource-groups:us-east-2:123456789012:group/blocks", Reservations: []string{"cr-00000000000000002"},
		}},
		PlacementGroups: []account.PlacementGroup{{ID: "pg-0", Name: "pg", Strategy: "cluster"}},
		Images:          w.images(t),
		KeyPairs:        []account.KeyPair{{Name: "ed", Type: w.KeyPairs["ed"]}, {Name: "rsa", Type: w.KeyPairs["rsa"]}},
		LaunchTemplates: templates(),
		Buckets: []account.Bucket{
			{Name: "scripts", Objects: map[string]string{"v1/gdrcopy.sh": "", "v1/configured.sh": ""}},
			{Name: "artifacts", Versioning: true},
		},
		FileSystems: []account.FileSystem{
			fileSystem("fs-00000000000000001", "sg-lustre00000000000"), fileSystem("fs-00000000000000002", "sg-plain000000000000"),
			{ID: "fs-0000000000000000e", Kind: account.EFS, Subnets: []string{"subnet-privatea000000000"}, SecurityGroups: []string{"sg-nfs00000000000000"}},
		},
		Roles:     []account.Role{{ARN: "arn:aws:iam::123456789012:role/weft/head"}},
		Policies:  []account.Policy{{ARN: "arn:aws:iam::123456789012:policy/extra"}},
		Offerings: map[string][]string{zoneA: w.types(), zoneB: w.types()},
	}
}

// reservations are those of the file. Of the two blocks of UltraServers one is healthy and one is impaired.
func (w World) reservations() []account.Reservation {
	health := map[string]string{"cr-0000000000000000f": "ok", "cr-00000000000000010": "impaired"}
	var all []account.Reservation
	for _, r := range w.Reservations {
		reservation := account.Reservation{
			ID: r.ID, Kind: account.ODCR, Type: r.Type, Zone: r.Zone, Count: r.Total, State: r.State, Platform: r.Platform,
			Start: time.Date(2026, 12, 7, 11, 30, 0, 0, time.UTC),
		}
		if r.Kind == "capacity-block" {
			reservation.Kind = account.Block
			reservation.Count = r.bought()
			reservation.End = reservation.Start.AddDate(0, 0, 14)
			reservation.BlockID = "cb-" + strings.TrimPrefix(r.ID, "cr-")
			reservation.Interconnect = health[r.ID]
		}
		all = append(all, reservation)
	}
	return all
}

// bought is the size of a block, which is in a tag.
func (r RecordedBlock) bought() int {
	count := 0
	for _, tag := range r.Tags {
		if strings.HasSuffix(tag.Key, "incrementalRequestedQuantity") {
			for _, digit := range tag.Value {
				count = 10*count + int(digit-'0')
			}
		}
	}
	return count
}

func (w World) types() []string {
	var all []string
	for _, r := range w.Reservations {
		all = append(all, r.Type)
	}
	return all
}

// images are the custom ones of the file, and the official ones of each version that judges: the file names those of
// 3.16.1 only.
func (w World) images(t testing.TB) []account.Image {
	t.Helper()
	var all []account.Image
	for id, image := range w.Images {
		if !strings.HasPrefix(image.Name, "aws-parallelcluster-") {
			all = append(all, account.Image{
				ID: id, Name: image.Name, Architecture: image.Architecture, OS: "ubuntu2204", RootSize: 45, Tags: image.Tags,
			})
		}
	}
	for _, version := range judge.Versions() {
		official, err := account.OfficialImages(version)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, official...)
	}
	return all
}

func fileSystem(id, group string) account.FileSystem {
	return account.FileSystem{
		ID: id, Kind: account.Lustre, Subnets: []string{"subnet-privatea000000000"}, SecurityGroups: []string{group},
		Capacity: 4800, Deployment: "PERSISTENT_2", MountName: "fsx",
	}
}

// templates hold one interface for each card, and on card 0 an EFA interface besides where the card takes it.
func templates() []account.LaunchTemplate {
	nics := func(cards int, first bool) map[string]any {
		return map[string]any{"NetworkInterfaces": cardInterfaces(cards, first)}
	}
	more := nics(16, true)
	more["InstanceType"], more["ImageId"] = "p5en.48xlarge", "ami-0c4b122d96a502c53"
	all := []account.LaunchTemplate{
		{ID: "lt-nicsandmore000000", Versions: []map[string]any{more}},
		{ID: "lt-nonics00000000000", Versions: []map[string]any{{"EbsOptimized": true}}},
		{ID: "lt-p6b30048xlarge000", Versions: []map[string]any{nics(17, false)}},
	}
	for id, cards := range map[string]int{
		"lt-p4d24xlarge000000": 4, "lt-p548xlarge0000000": 32, "lt-p54xlarge00000000": 1, "lt-p5en48xlarge00000": 16,
		"lt-p6b20048xlarge000": 8, "lt-g6e48xlarge000000": 4, "lt-trn132xlarge00000": 8,
	} {
		all = append(all, account.LaunchTemplate{ID: id, Versions: []map[string]any{nics(cards, true), nics(cards, true)}})
	}
	return all
}

func cardInterfaces(cards int, first bool) []map[string]any {
	nic := func(card, device int, kind string) map[string]any {
		return map[string]any{
			"NetworkCardIndex": card, "DeviceIndex": device, "InterfaceType": kind,
			"SubnetId": "subnet-privatea000000000", "Groups": []string{"sg-self0000000000000"},
		}
	}
	all := []map[string]any{nic(0, 0, "interface")}
	if first {
		all = append(all, nic(0, 1, "efa-only"))
	}
	for card := 1; card < cards; card++ {
		all = append(all, nic(card, 0, "efa-only"))
	}
	return all
}
