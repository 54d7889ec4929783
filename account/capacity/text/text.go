// Package text writes what account/capacity tells as people read it in a terminal.
package text

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/fabric/market"
	"github.com/weft-hpc/weft/fabric/plan/show"
)

// Comparison writes offerings side by side, best first, and the reasoning under them. Number 1 is the first of the table:
// the numbers are what an offering is pinned by.
func Comparison(w io.Writer, c market.Comparison) error {
	p := printer{w: w}
	p.printf("%d × %s for %s, start between %s and %s\n", c.Ask.Count, c.Ask.Type, length(c.Ask.Hours), minute(c.Ask.From), minute(c.Ask.Until))
	if len(c.Offerings) > 0 {
		p.printf("%s\n\n", market.Order)
		var rows []show.Row
		for i, o := range c.Offerings {
			rows = append(rows, show.Row{
				i + 1, o.ID, zone(o), minute(o.Start), minute(o.End), market.Span(o.Usable()), market.Span(o.Tail()),
				o.Fee.Rounded(2), o.PerInstanceHour().Rounded(2), o.PerGPUHour().Rounded(4), o.PerUsableGPUHour().Rounded(4),
			})
		}
		p.table(show.Row{"#", "offering", "zone", "start", "end", "usable", "idle tail", "fee", "an instance-hour", "a GPU-hour", "a usable GPU-hour"}, rows)
	}
	p.printf("\n")
	for _, r := range c.Reasons {
		p.printf("- %s\n", r)
	}
	return p.err
}

func zone(o market.Offering) string {
	text := o.Zone
	if o.ZoneID != "" {
		text += " (" + o.ZoneID + ")"
	}
	if o.ZoneClosed {
		text += " not opted in"
	}
	return text
}

// Report writes the blocks of a Region and what runs in and beside them.
func Report(w io.Writer, r capacity.Report) error {
	p := printer{w: w}
	if len(r.Blocks) == 0 {
		p.printf("%s: no capacity blocks\n", r.Region)
		return p.err
	}
	var rows []show.Row
	for _, s := range r.Blocks {
		rows = append(rows, show.Row{
			s.Reservation.Reservation, s.InstanceType, s.Zone, s.State, s.Life.Phase, minute(s.Start), minute(s.End), s.Count, s.Used, s.Free, owned(s),
		})
	}
	p.table(show.Row{"reservation", "type", "zone", "state", "phase", "start", "end", "bought", "used", "free", "owner"}, rows)
	for _, s := range r.Blocks {
		p.block(s)
	}
	if len(r.Outside) > 0 {
		p.printf("\noutside of the blocks\n")
		for _, i := range r.Outside {
			p.printf("  %s  %s  %s  since %s\n", i.ID, i.Type, i.Zone, minute(i.Launched))
		}
	}
	return p.err
}

func owned(s capacity.Status) string {
	if s.Owner == (capacity.Owner{}) {
		return "-"
	}
	return s.Owner.String()
}

func (p *printer) block(s capacity.Status) {
	p.printf("\n%s\n  %s\n", s.Life.Says, s.Life.Next)
	if s.Use.PaidHours > 0 {
		p.printf("  %.0f instance-hours paid so far, %.0f used by what runs now, at most %.0f idle\n", s.Use.PaidHours, s.Use.UsedHours, s.Use.IdleHours)
	}
	switch {
	case s.Use.SpentSoFar.Known():
		p.printf("  %s of %s gone by, at most %s of it idle\n", s.Use.SpentSoFar.Rounded(2), s.Fee.Rounded(2), s.Use.Idle.Rounded(2))
	case s.Fee.Known():
		p.printf("  fee: %s\n", s.Fee.Rounded(2))
	default:
		p.printf("  its fee is not known: it was not bought by weft\n")
	}
	if s.Health != nil {
		p.printf("  hardware: %d instances unavailable", s.Health.Unavailable)
		if s.Health.Interconnect != "" {
			p.printf(", interconnect %s", s.Health.Interconnect)
		}
		p.printf("\n")
	}
	for _, x := range s.Extensions {
		p.printf("  extension %s to %s, %s, %s\n", x.Offering, minute(x.To), x.Fee.Rounded(2), x.Status)
	}
}

// Offers writes offerings to extend a block.
func Offers(w io.Writer, offers []capacity.ExtensionOffer) error {
	p := printer{w: w}
	if len(offers) == 0 {
		p.printf("EC2 offers no extension of that length. Others: 1 to 14 days, or a multiple of 7.\n")
		return p.err
	}
	var rows []show.Row
	for _, o := range offers {
		rows = append(rows, show.Row{
			o.ID, o.Reservation, fmt.Sprintf("%d × %s", o.Count, o.InstanceType), minute(o.From), minute(o.To), o.Fee.Rounded(2),
			o.PerInstanceHour().Rounded(2), o.PerGPUHour().Rounded(4),
		})
	}
	p.table(show.Row{"offering", "reservation", "instances", "end now", "new end", "fee", "an instance-hour", "a GPU-hour"}, rows)
	return p.err
}

// printer keeps the first error of writing.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *printer) table(header show.Row, rows []show.Row) {
	if p.err == nil {
		p.err = show.Table(p.w, "", header, rows...)
	}
}

func minute(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return strings.TrimSuffix(t.UTC().Format("2006-01-02 15:04 UTC"), " UTC")
}

func length(hours int) string {
	if hours == 24 {
		return "1 day"
	}
	return fmt.Sprintf("%d days", hours/24)
}
