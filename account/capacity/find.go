package capacity

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"golang.org/x/sync/errgroup"

	"github.com/weft-hpc/weft/account/awserror"
	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/market"
)

// FindAPI is what a search calls of EC2 in a Region. Every call reads.
type FindAPI interface {
	reservationsAPI
	offeringsAPI
	DescribeAvailabilityZones(context.Context, *ec2.DescribeAvailabilityZonesInput, ...func(*ec2.Options)) (*ec2.DescribeAvailabilityZonesOutput, error)
}

// Finder searches the market.
type Finder struct {
	// Region gives the client of a Region.
	Region func(region string) FindAPI
	Clock  Clock
}

// Found is what a search found.
type Found struct {
	// Comparisons of each ask, in their order.
	Comparisons []market.Comparison `json:"comparisons"`
	// Regions that were asked.
	Regions []string `json:"regions"`
	// Findings say what could not be asked, and what of an ask is outside of the market's limits.
	Findings diag.List `json:"-"`
}

// How many questions are on their way at once, how wide a window of starts one question has, and how often a throttled
// one is asked again. EC2 answers a question with few offerings, so that narrow windows show more of the market.
const (
	questions  = 4
	windowSize = 7 * 24 * time.Hour
	attempts   = 6
	firstPause = time.Second
)

// Find looks for what is asked in Regions; none: those in which the catalogue saw the types sold. Asks outside of the
// market's limits are refused before EC2 is called. A Region that is not enabled for the account is left out, which is an error only where it
// was named. Of each ask it also looks for smaller blocks and, where nothing fits,
// for other lengths, later starts and other types.
func (f Finder) Find(ctx context.Context, asks []market.Ask, regions []string) (Found, error) {
	var out Found
	for _, a := range asks {
		out.Findings.Add(a.Check(0)...)
	}
	if out.Findings.Failed() {
		return out, nil
	}
	out.Regions = regions
	if len(out.Regions) == 0 {
		out.Regions = SoldIn(asks)
	}
	s := &search{finder: f, zones: map[string]types.AvailabilityZone{}, held: map[string]int{}, asked: map[query]bool{}}
	if err := s.setOut(ctx, out.Regions); err != nil {
		return out, err
	}
	if len(s.regions) == 0 || len(regions) > len(s.regions) { // none answers, or one that was named does not
		for i := range s.findings {
			s.findings[i].Level = diag.Error
		}
	}
	for _, a := range asks {
		c, err := s.compare(ctx, a)
		if err != nil {
			return out, err
		}
		out.Comparisons = append(out.Comparisons, c)
		out.Findings.Add(a.Check(s.allHeld())...)
	}
	out.Findings.Add(s.findings...)
	out.Findings.Sort()
	return out, nil
}

// SoldIn lists the Regions in which the catalogue saw blocks of the types, Local Zones under their Regions. GovCloud needs
// an account of its own: it is searched where it is named.
func SoldIn(asks []market.Ask) []string {
	var out []string
	for _, a := range asks {
		t, _ := catalog.Instance(a.Type)
		for _, place := range t.BlockPlaces {
			region := strings.Join(strings.SplitN(place, "-", 4)[:3], "-")
			if !strings.HasPrefix(place, "us-gov-") && !slices.Contains(out, region) {
				out = append(out, region)
			}
		}
	}
	slices.Sort(out)
	return out
}

// search is one run of Find.
type search struct {
	finder   Finder
	regions  []string // that answer
	zones    map[string]types.AvailabilityZone
	held     map[string]int // instances in blocks, by Region
	asked    map[query]bool
	pool     []market.Offering
	findings diag.List

	mu sync.Mutex
}

// setOut reads the zones of each Region and what the account holds there. A Region that refuses is left out, and named.
func (s *search) setOut(ctx context.Context, regions []string) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(questions)
	for _, region := range regions {
		group.Go(func() error { return s.enter(ctx, region) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	slices.Sort(s.regions)
	return nil
}

func (s *search) enter(ctx context.Context, region string) error {
	api := s.finder.Region(region)
	var zones []types.AvailabilityZone
	err := s.patiently(ctx, func() error {
		out, err := api.DescribeAvailabilityZones(ctx, &ec2.DescribeAvailabilityZonesInput{AllAvailabilityZones: aws.Bool(true)})
		if err == nil {
			zones = out.AvailabilityZones
		}
		return err
	})
	switch {
	case awserror.IsUnauthenticated(err): // credentials that hold elsewhere do not where the Region is not enabled
		s.refuse(region, actZones, "everything there", err, diag.Warn)
		return nil
	case refused(err):
		s.refuse(region, actZones, "the zones' ids", err, diag.Warn)
	case err != nil:
		return fmt.Errorf("describing the zones of %s: %w", region, err)
	}
	var blocks []Reservation
	err = s.patiently(ctx, func() (err error) { blocks, err = reservations(ctx, api, region); return err })
	if refused(err) {
		s.refuse(region, actReservations, "how many instances the account holds in blocks", err, diag.Warn)
	} else if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.regions = append(s.regions, region)
	for _, z := range zones {
		s.zones[aws.ToString(z.ZoneName)] = z
	}
	for _, b := range blocks {
		if !b.Ended() {
			s.held[region] += b.Count
		}
	}
	return nil
}

func (s *search) allHeld() int {
	n := 0
	for _, held := range s.held {
		n += held
	}
	return n
}

func refused(err error) bool {
	return err != nil && (awserror.IsUnauthorized(err) || awserror.IsUnauthenticated(err) || awserror.IsRefused(err) && !awserror.IsThrottled(err))
}

// refuse notes what a Region does not tell.
func (s *search) refuse(region, action, what string, err error, level diag.Level) {
	f := diag.Finding{
		Rule: diag.AccountDenied, Level: level, Place: diag.Place{Resource: region},
		Got: fmt.Sprintf("%s is refused (%s): not known: %s", action, awserror.Code(err), what), Want: "an IAM identity that may call " + action,
		Hint: "allow the action", Source: "AWS Service Authorization Reference",
	}
	switch {
	case awserror.IsUnauthorized(err):
	case awserror.IsOverLimit(err):
		f.Got = fmt.Sprintf("%s answers %s with %s: not known: %s", region, action, awserror.Code(err), what)
		f.Want, f.Hint = "a count within the account's quota for blocks of the type", "ask for fewer instances, or ask AWS to raise the limit"
	default:
		f.Got = fmt.Sprintf("%s answers %s with %s: not known: %s", region, action, awserror.Code(err), what)
		f.Want, f.Hint = "a Region that the account may use", "enable the Region for the account, or leave it out with --regions"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.ContainsFunc(s.findings, func(g diag.Finding) bool { return g.Place == f.Place && g.Got == f.Got }) {
		s.findings.Add(f)
	}
}

// patiently makes a call again while EC2 throttles, each time after twice the pause. The SDK has its own patience before.
func (s *search) patiently(ctx context.Context, call func() error) error {
	pause := firstPause
	for n := 1; ; n++ {
		err := call()
		if !awserror.IsThrottled(err) || n == attempts {
			return err
		}
		if waited := s.finder.Clock.Wait(ctx, pause); waited != nil {
			return waited
		}
		pause *= 2
	}
}

// compare asks for what fits and for smaller blocks, and if nothing fits for what else there is.
func (s *search) compare(ctx context.Context, a market.Ask) (market.Comparison, error) {
	counts := []int{a.Count}
	for _, n := range a.Parts() {
		counts = append(counts, a.Count/n)
	}
	var ask []query
	for _, count := range counts {
		ask = append(ask, s.queries(a.Type, count, a.Hours, a.From, a.Until)...)
	}
	if err := s.ask(ctx, ask); err != nil {
		return market.Comparison{}, err
	}
	c := market.Compare(a, s.pool)
	if len(c.Offerings) > 0 {
		return c, nil
	}
	ask = s.queries(a.Type, a.Count, a.Hours, a.Until, s.finder.Clock.Now().Add(market.LongestLead))
	for _, hours := range a.OtherHours() {
		ask = append(ask, s.queries(a.Type, a.Count, hours, a.From, a.Until)...)
	}
	for _, kind := range a.OtherTypes() {
		ask = append(ask, s.queries(kind, a.Count, a.Hours, a.From, a.Until)...)
	}
	if err := s.ask(ctx, ask); err != nil {
		return market.Comparison{}, err
	}
	return market.Compare(a, s.pool), nil
}

// queries cuts a window of starts into questions, in every Region. EC2 bounds the end of a block, not its start: a block lasts
// less than a day more than what is asked for.
func (s *search) queries(kind string, count, hours int, from, until time.Time) []query {
	var out []query
	for _, region := range s.regions {
		for at := from; at.Before(until); at = at.Add(windowSize) {
			last := at.Add(windowSize)
			if last.After(until) {
				last = until
			}
			q := query{region: region, kind: kind, count: count, hours: hours, from: at, until: last.Add(time.Duration(hours+24) * time.Hour)}
			if !s.asked[q] {
				s.asked[q] = true
				out = append(out, q)
			}
		}
	}
	return out
}

// ask puts questions side by side, and adds the answers to the pool.
func (s *search) ask(ctx context.Context, list []query) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(questions)
	for _, q := range list {
		group.Go(func() error {
			var found []market.Offering
			err := s.patiently(ctx, func() (err error) {
				found, err = describeOfferings(ctx, s.finder.Region(q.region), q)
				return err
			})
			if refused(err) {
				s.refuse(q.region, actOfferings, "what is offered there", err, diag.Error)
				return nil
			}
			s.add(found)
			return err
		})
	}
	return group.Wait()
}

func (s *search) add(found []market.Offering) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range found {
		if z, ok := s.zones[o.Zone]; ok {
			o.ZoneID = aws.ToString(z.ZoneId)
			o.ZoneClosed = z.OptInStatus == types.AvailabilityZoneOptInStatusNotOptedIn
		}
		s.pool = append(s.pool, o)
	}
}
