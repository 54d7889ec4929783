package market

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
)

// The limits of the market (EC2 User Guide, ec2-capacity-blocks). Not every type and Region sells the largest block.
const (
	MostPerBlock = 64  // instances in one block
	MostInAll    = 256 // instances over all blocks of an account on one date
)

const (
	sourceBlocks   = "EC2 User Guide, ec2-capacity-blocks"
	sourcePurchase = "EC2 User Guide, capacity-blocks-purchase"
)

// Ask is what somebody looks for.
type Ask struct {
	Type  string `json:"type"`
	Count int    `json:"count"` // instances
	Hours int    `json:"hours"` // one of SoldHours
	// From and Until bound the start.
	From  time.Time `json:"from"`
	Until time.Time `json:"until"`
	// Zones by name or id; none: every zone.
	Zones []string `json:"zones,omitempty"`
}

// Check judges what is asked for against the market's limits before anybody is called. Held is the number of instances
// in blocks that the account holds already.
func (a Ask) Check(held int) diag.List {
	var out diag.List
	out.Add(a.checkType()...)
	out.Add(a.checkCount(held)...)
	if !slices.Contains(SoldHours(), a.Hours) {
		out.Add(diag.Finding{
			Rule: diag.BlockDuration, Place: diag.Place{Path: "days"}, Got: days(a.Hours),
			Want: "1 to 14 days, or a multiple of 7 days up to 182", Hint: a.durationHint(), Source: sourcePurchase,
		})
	}
	if !a.From.Before(a.Until) {
		out.Add(diag.Finding{
			Rule: diag.ConfigValue, Place: diag.Place{Path: "within"}, Got: fmt.Sprintf("a start between %s and %s", clock(a.From), clock(a.Until)),
			Want: "a window with an end after its beginning", Hint: "give a later end", Source: sourcePurchase,
		})
	}
	return out
}

func (a Ask) durationHint() string {
	shorter, longer := nearestSold(a.Hours, 1)
	var near []string
	for _, h := range append(shorter, longer...) {
		near = append(near, days(h))
	}
	return "the nearest that is sold: " + strings.Join(near, " or ")
}

func (a Ask) checkType() diag.List {
	t, ok := catalog.Instance(a.Type)
	if ok && t.OffersBlocks() {
		return nil
	}
	hint := "types that are sold in blocks: " + strings.Join(blockTypes(), ", ")
	near := catalog.NearestInstance(a.Type)
	switch {
	case t.Blocks == catalog.UltraServerBlocks:
		hint = "it is sold as whole UltraServers" + parenthesised(t.UltraServer) + ": buy one with the AWS CLI, and adopt its reservation"
	case !ok && near != "":
		hint = "did you mean " + near + "? " + hint
	}
	return diag.List{{
		Rule: diag.ConfigValue, Place: diag.Place{Path: "type"}, Got: fmt.Sprintf("%q", a.Type), Want: "an instance type that is sold in capacity blocks",
		Hint: hint, Source: sourceBlocks,
	}}
}

// parenthesised gives " (text)", or nothing of no text.
func parenthesised(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

func blockTypes() []string {
	var out []string
	for _, t := range catalog.Instances() {
		if t.OffersBlocks() {
			out = append(out, t.Name)
		}
	}
	return out
}

func (a Ask) checkCount(held int) diag.List {
	finding := diag.Finding{Rule: diag.BlockSize, Place: diag.Place{Path: "count"}, Source: sourceBlocks}
	switch {
	case a.Count < 1:
		finding.Got, finding.Want, finding.Hint = fmt.Sprintf("%d instances", a.Count), "1 instance at least", "give the number of instances"
	case a.Count > MostPerBlock:
		parts := (a.Count + MostPerBlock - 1) / MostPerBlock
		finding.Got, finding.Want = fmt.Sprintf("%d instances in one block", a.Count), fmt.Sprintf("at most %d", MostPerBlock)
		finding.Hint = fmt.Sprintf("look for %d blocks of %d: blocks can lie on different spines, and can never be merged", parts, (a.Count+parts-1)/parts)
	case held+a.Count > MostInAll:
		finding.Got = fmt.Sprintf("%d instances, beside %d in blocks that the account holds", a.Count, held)
		finding.Want = fmt.Sprintf("at most %d over all blocks on one date", MostInAll)
		finding.Hint = fmt.Sprintf("take %d at most, or a start after one of the held blocks has ended", max(0, MostInAll-held))
	default:
		return nil
	}
	return diag.List{finding}
}

// fits reports an offering that answers the ask in everything.
func (a Ask) fits(o Offering) bool {
	return o.InstanceType == a.Type && o.Count == a.Count && o.AskedHours == a.Hours && a.inWindow(o) && a.inZones(o)
}

func (a Ask) inWindow(o Offering) bool { return !o.Start.Before(a.From) && !o.Start.After(a.Until) }

func (a Ask) inZones(o Offering) bool {
	return len(a.Zones) == 0 || slices.Contains(a.Zones, o.Zone) || slices.Contains(a.Zones, o.ZoneID)
}

// Parts lists into how many equal smaller blocks the ask can be split: 2 and 4, as far as they divide it.
func (a Ask) Parts() []int {
	var out []int
	for _, n := range []int{2, 4} {
		if a.Count%n == 0 {
			out = append(out, n)
		}
	}
	return out
}

// OtherHours lists the sold durations next to the asked one: two shorter, one longer.
func (a Ask) OtherHours() []int {
	shorter, longer := nearestSold(a.Hours, 2)
	return append(shorter, longer[:min(1, len(longer))]...)
}

// OtherTypes lists types in blocks whose accelerators have as much memory, each from the same maker. A job that fits
// into one fits into the other; their speed can differ.
func (a Ask) OtherTypes() []string {
	asked, ok := catalog.Instance(a.Type)
	if !ok || asked.Accelerator.MemoryMiB == 0 {
		return nil
	}
	var out []string
	for _, t := range catalog.Instances() {
		same := t.Accelerator.MemoryMiB == asked.Accelerator.MemoryMiB && t.Accelerator.Maker == asked.Accelerator.Maker &&
			t.Accelerator.Count == asked.Accelerator.Count
		if t.Name != a.Type && same && t.OffersBlocks() {
			out = append(out, t.Name)
		}
	}
	return out
}

func days(hours int) string {
	if hours%hoursPerDay != 0 {
		return fmt.Sprintf("%d hours", hours)
	}
	if hours == hoursPerDay {
		return "1 day"
	}
	return fmt.Sprintf("%d days", hours/hoursPerDay)
}

func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// Span tells a duration in days and hours, or in hours and minutes.
func Span(d time.Duration) string {
	d = d.Round(time.Minute)
	whole, hours, minutes := int(d.Hours())/hoursPerDay, int(d.Hours())%hoursPerDay, int(d.Minutes())%60
	switch {
	case whole > 0:
		return fmt.Sprintf("%d d %d h", whole, hours)
	case hours > 0:
		return fmt.Sprintf("%d h %d min", hours, minutes)
	default:
		return fmt.Sprintf("%d min", minutes)
	}
}
