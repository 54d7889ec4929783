package capacity

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/weft-hpc/weft/account/awserror"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/market"
)

// ShowAPI is what is called of EC2 to see what an account holds. Every call reads.
type ShowAPI interface {
	reservationsAPI
	historyAPI
	ec2.DescribeInstancesAPIClient
	ec2.DescribeCapacityBlockStatusAPIClient
	ec2.DescribeLaunchTemplateVersionsAPIClient
}

// Instance is an instance that runs, or is about to.
type Instance struct {
	ID       string    `json:"id"`
	Type     string    `json:"type"`
	Zone     string    `json:"zone"`
	Launched time.Time `json:"launched"`
	// Reservation that it runs in; empty: in none.
	Reservation string `json:"reservation,omitempty"`
	// Template and Version that it was launched from.
	Template string `json:"template,omitempty"`
	Version  string `json:"version,omitempty"`
	Name     string `json:"name,omitempty"`
}

// Template is a version of a launch template, and the reservation that its launches target.
type Template struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Version string `json:"version"`
	Default bool   `json:"default"`
	Target  string `json:"target,omitempty"`
}

func (t Template) String() string {
	word := "version"
	if t.Default {
		word = "default version"
	}
	return fmt.Sprintf("%s %s of %s (%s)", word, t.Version, t.ID, t.Name)
}

// Health is what EC2 says of the hardware of a block.
type Health struct {
	Unavailable  int    `json:"unavailable"`            // instances whose system status check fails
	Interconnect string `json:"interconnect,omitempty"` // ok, impaired or insufficient-data
}

// Holding is what an account holds in a Region.
type Holding struct {
	Region    string              `json:"region"`
	Blocks    []Reservation       `json:"blocks"`
	Instances []Instance          `json:"instances"` // nil where EC2 refuses to show them
	Templates []Template          `json:"templates"`
	Health    map[string]Health   `json:"health"` // by block id, cb-…
	Records   map[string][]Record `json:"extensions"`
	Denied    diag.List           `json:"-"` // what AWS refuses to show
}

// Hold reads what an account holds in a Region. What AWS refuses to show is named and left out; only the reservations are
// needed.
func Hold(ctx context.Context, api ShowAPI, region string) (Holding, error) {
	h := Holding{Region: region, Health: map[string]Health{}, Records: map[string][]Record{}}
	blocks, err := reservations(ctx, api, region)
	if err != nil {
		return Holding{}, err
	}
	h.Blocks = blocks
	for _, read := range []struct {
		action, what string
		load         func(context.Context, ShowAPI) error
	}{
		{actInstances, "what runs, in the blocks and outside of them", h.loadInstances},
		{actTemplates, "what launch templates target", h.loadTemplates},
		{actStatus, "the health of the blocks' hardware", h.loadHealth},
		{actHistory, "extensions and what they cost", h.loadRecords},
	} {
		err := read.load(ctx, api)
		if awserror.IsUnauthorized(err) {
			h.Denied.Add(diag.Finding{
				Rule: diag.AccountDenied, Level: diag.Warn, Place: diag.Place{Resource: region},
				Got: fmt.Sprintf("%s is refused (%s): not known: %s", read.action, awserror.Code(err), read.what), Want: "an IAM identity that may call " + read.action,
				Hint: "allow the action", Source: "AWS Service Authorization Reference",
			})
			continue
		}
		if err != nil {
			return Holding{}, err
		}
	}
	return h, nil
}

func (h *Holding) loadInstances(ctx context.Context, api ShowAPI) error {
	p := ec2.NewDescribeInstancesPaginator(api, &ec2.DescribeInstancesInput{
		Filters: []types.Filter{{Name: aws.String("instance-state-name"), Values: []string{"pending", "running"}}},
	})
	found := []Instance{}
	for p.HasMorePages() {
		page, err := p.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("describing instances in %s: %w", h.Region, err)
		}
		for _, r := range page.Reservations {
			for i := range r.Instances {
				found = append(found, instance(&r.Instances[i]))
			}
		}
	}
	h.Instances = found
	return nil
}

func instance(i *types.Instance) Instance {
	tags := tagMap(i.Tags)
	out := Instance{
		ID: aws.ToString(i.InstanceId), Type: string(i.InstanceType), Launched: moment(i.LaunchTime), Reservation: aws.ToString(i.CapacityReservationId),
		Template: tags["aws:ec2launchtemplate:id"], Version: tags["aws:ec2launchtemplate:version"], Name: tags["Name"],
	}
	if i.Placement != nil {
		out.Zone = aws.ToString(i.Placement.AvailabilityZone)
	}
	return out
}

// loadTemplates reads the default version of every template, and each version that an instance was launched from.
func (h *Holding) loadTemplates(ctx context.Context, api ShowAPI) error {
	if err := h.versions(ctx, api, &ec2.DescribeLaunchTemplateVersionsInput{Versions: []string{"$Default"}}); err != nil {
		return err
	}
	used := map[string][]string{}
	for _, i := range h.Instances {
		if i.Template != "" && i.Version != "" && !h.hasTemplate(i.Template, i.Version) && !slices.Contains(used[i.Template], i.Version) {
			used[i.Template] = append(used[i.Template], i.Version)
		}
	}
	for _, id := range sortedKeys(used) {
		slices.Sort(used[id])
		err := h.versions(ctx, api, &ec2.DescribeLaunchTemplateVersionsInput{LaunchTemplateId: aws.String(id), Versions: used[id]})
		if err != nil && !awserror.IsNotFound(err) { // a template can be removed while its instances run
			return err
		}
	}
	return nil
}

func sortedKeys(m map[string][]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func (h *Holding) versions(ctx context.Context, api ShowAPI, in *ec2.DescribeLaunchTemplateVersionsInput) error {
	p := ec2.NewDescribeLaunchTemplateVersionsPaginator(api, in)
	for p.HasMorePages() {
		page, err := p.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("describing launch template versions in %s: %w", h.Region, err)
		}
		for i := range page.LaunchTemplateVersions {
			h.Templates = append(h.Templates, template(&page.LaunchTemplateVersions[i]))
		}
	}
	return nil
}

func template(v *types.LaunchTemplateVersion) Template {
	out := Template{
		ID: aws.ToString(v.LaunchTemplateId), Name: aws.ToString(v.LaunchTemplateName), Version: fmt.Sprint(aws.ToInt64(v.VersionNumber)),
		Default: aws.ToBool(v.DefaultVersion),
	}
	if d := v.LaunchTemplateData; d != nil && d.CapacityReservationSpecification != nil && d.CapacityReservationSpecification.CapacityReservationTarget != nil {
		out.Target = aws.ToString(d.CapacityReservationSpecification.CapacityReservationTarget.CapacityReservationId)
	}
	return out
}

func (h *Holding) hasTemplate(id, version string) bool { _, ok := h.template(id, version); return ok }

func (h *Holding) template(id, version string) (Template, bool) {
	i := slices.IndexFunc(h.Templates, func(t Template) bool { return t.ID == id && t.Version == version })
	if i < 0 {
		return Template{}, false
	}
	return h.Templates[i], true
}

// loadHealth asks about all blocks at once: an ended one has none, and asking for it by its id may be an error.
func (h *Holding) loadHealth(ctx context.Context, api ShowAPI) error {
	if !slices.ContainsFunc(h.Blocks, func(b Reservation) bool { return b.State == "active" }) {
		return nil
	}
	p := ec2.NewDescribeCapacityBlockStatusPaginator(api, &ec2.DescribeCapacityBlockStatusInput{})
	for p.HasMorePages() {
		page, err := p.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("describing the status of capacity blocks in %s: %w", h.Region, err)
		}
		for i := range page.CapacityBlockStatuses {
			s := &page.CapacityBlockStatuses[i]
			health := Health{Unavailable: int(aws.ToInt32(s.TotalUnavailableCapacity)), Interconnect: string(s.InterconnectStatus)}
			h.Health[aws.ToString(s.CapacityBlockId)] = health
		}
	}
	return nil
}

func (h *Holding) loadRecords(ctx context.Context, api ShowAPI) error {
	if len(h.Blocks) == 0 {
		return nil
	}
	records, err := history(ctx, api, "")
	for _, r := range records {
		h.Records[r.Reservation] = append(h.Records[r.Reservation], r)
	}
	return err
}

// Status is one block with everything that is to be known of it now.
type Status struct {
	Reservation
	Life       market.Life `json:"life"`
	Used       int         `json:"used"` // instances that run in it
	Use        market.Use  `json:"use"`
	Health     *Health     `json:"health,omitempty"`
	Extensions []Record    `json:"extensions,omitempty"`
	Instances  []Instance  `json:"instances"`
}

// Report is what is told of a holding at a time.
type Report struct {
	Region string   `json:"region"`
	Blocks []Status `json:"blocks"` // active first, then by start
	// Outside are instances of a block's type, in its zone, that run outside of every block.
	Outside  []Instance `json:"outside"`
	Findings diag.List  `json:"-"`
}

// Report tells what a holding is at a time. It is pure.
func (h Holding) Report(now time.Time) Report {
	r := Report{Region: h.Region, Blocks: []Status{}, Outside: []Instance{}, Findings: slices.Clone(h.Denied)}
	for _, b := range h.Blocks {
		r.Blocks = append(r.Blocks, h.status(b, now))
	}
	slices.SortFunc(r.Blocks, func(a, b Status) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), a.Start.Compare(b.Start), cmp.Compare(a.Reservation.Reservation, b.Reservation.Reservation))
	})
	for _, i := range h.Instances {
		if h.outside(i) {
			r.Outside = append(r.Outside, i)
		}
	}
	for _, b := range r.Blocks {
		r.Findings.Add(b.findings()...)
	}
	r.Findings.Add(h.drift(r)...)
	r.Findings.Sort()
	return r
}

// rank puts what needs attention first.
func rank(s Status) int {
	return slices.Index([]market.Phase{market.Ending, market.Expiring, market.Active, market.Unknown, market.Waiting, market.Over}, s.Life.Phase)
}

func (h Holding) status(b Reservation, now time.Time) Status {
	s := Status{Reservation: b, Life: b.Life(now), Extensions: h.Records[b.Reservation], Instances: []Instance{}}
	var launched []time.Time
	for _, i := range h.Instances {
		if i.Reservation == b.Reservation {
			s.Instances = append(s.Instances, i)
			launched = append(launched, i.Launched)
		}
	}
	s.Used = len(s.Instances)
	s.Fee = total(b.Fee, s.Extensions)
	if b.State == "active" && h.Instances != nil { // what was not seen is not idle
		paid := b.Block
		paid.Fee = s.Fee
		s.Use = paid.Use(now, launched)
	}
	if health, ok := h.Health[b.CapacityBlock]; ok {
		s.Health = &health
	}
	return s
}

// total is what a block cost with its extensions that were paid.
func total(fee market.Money, extensions []Record) market.Money {
	for _, x := range extensions {
		if x.Status == string(types.CapacityBlockExtensionStatusPaymentSucceeded) {
			fee = fee.Plus(x.Fee)
		}
	}
	return fee
}

// findings are what is wrong with a block that somebody can still do something about; an ended one is history.
func (s Status) findings() diag.List {
	var out diag.List
	if s.Life.Phase != market.Over && s.Life.Level != diag.Note && s.Life.Phase != market.Waiting {
		out.Add(diag.Finding{Rule: diag.BlockState, Level: s.Life.Level, Place: s.at(), Got: s.Life.Says, Want: "an active block", Hint: s.Life.Next, Source: sourceBlocks})
	}
	if s.Health != nil && (s.Health.Unavailable > 0 || s.Health.Interconnect == string(types.CapacityBlockInterconnectStatusImpaired)) {
		out.Add(diag.Finding{
			Rule: diag.BlockState, Level: diag.Warn, Place: s.at(),
			Got:  fmt.Sprintf("%d instances of %s fail their system status check; interconnect: %s", s.Health.Unavailable, s.Reservation.Reservation, s.Health.Interconnect),
			Want: "all capacity that was paid for", Hint: "stop and start the instances that fail, or ask AWS Support with the reservation's id", Source: "EC2 API, DescribeCapacityBlockStatus",
		})
	}
	for _, x := range s.Extensions {
		if x.Status != string(types.CapacityBlockExtensionStatusPaymentSucceeded) {
			out.Add(diag.Finding{
				Rule: diag.BlockState, Level: diag.Warn, Place: s.at(), Got: fmt.Sprintf("the extension %s to %s is %s", x.Offering, minute(x.To), x.Status),
				Want: "a paid extension: until then the block ends at " + minute(s.End), Hint: "look at the account's payment method", Source: sourceExtend,
			})
		}
	}
	return out
}

func (s Status) at() diag.Place { return diag.Place{Resource: s.Reservation.Reservation} }
