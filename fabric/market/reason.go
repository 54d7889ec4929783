package market

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/weft-hpc/weft/fabric/catalog"
)

// spines is what is known of the network between blocks.
const spines = "blocks can lie on different spines, and can never be merged"

// reasons says what to take and why. The rule: one block wherever there is one, since all its instances sit close together;
// several blocks are told with what they save and what they cost.
func (c Comparison) reasons() []string {
	var out []string
	if len(c.Offerings) > 0 {
		out = append(out, c.oneBlock())
	} else {
		out = append(out, c.nothing())
	}
	for _, s := range c.Splits {
		out = append(out, c.several(s))
	}
	if len(c.Splits) > 0 {
		out = append(out, c.advice())
	}
	for _, a := range c.Alternatives {
		out = append(out, a.Reason)
	}
	return out
}

func (c Comparison) oneBlock() string {
	o := c.Offerings[0]
	text := fmt.Sprintf("One block of %d: %s in %s, from %s, %s usable, %s, %s a usable GPU-hour. All its instances sit close together.",
		o.Count, o.ID, zoneWords(o), clock(o.Start), Span(o.Usable()), o.Fee.Rounded(2), o.PerUsableGPUHour().Rounded(4))
	if o.ZoneClosed {
		text += " The account has to opt in to the zone first."
	}
	return text
}

func (c Comparison) nothing() string {
	where := "no zone"
	if len(c.Ask.Zones) > 0 {
		where = "none of " + strings.Join(c.Ask.Zones, ", ")
	}
	return fmt.Sprintf("No offering of one block of %d × %s for %s with a start between %s and %s: %s has one.",
		c.Ask.Count, c.Ask.Type, days(c.Ask.Hours), clock(c.Ask.From), clock(c.Ask.Until), where)
}

// several compares a split with one block where there is one.
func (c Comparison) several(s Split) string {
	part := s.Offerings[0]
	text := fmt.Sprintf("%d blocks of %d in %s: all usable from %s, for %s, %s, %s a usable GPU-hour",
		len(s.Offerings), part.Count, zoneWords(part), clock(s.Start), Span(s.Usable()), s.Fee.Rounded(2), s.PerUsableGPUHour().Rounded(4))
	if len(c.Offerings) > 0 {
		one := c.Offerings[0]
		text += "; against one block: " + strings.Join(differences(s, one), ", ")
	}
	return text + ". " + strings.ToUpper(spines[:1]) + spines[1:] +
		fmt.Sprintf(": a job of more than %d instances crosses them. %s.", part.Count, idsOf(s))
}

func idsOf(s Split) string {
	var ids []string
	for _, o := range s.Offerings {
		ids = append(ids, o.ID)
	}
	return "Offerings: " + strings.Join(ids, ", ")
}

func differences(s Split, one Offering) []string {
	var out []string
	if diff := s.Fee.Less(one.Fee); diff.Known() {
		out = append(out, moreOrLess(diff, one.Fee))
	}
	if d := s.Start.Sub(one.Start); d != 0 {
		out = append(out, "starts "+Span(d.Abs())+word(d > 0, " later", " earlier"))
	}
	if d := s.Usable() - one.Usable(); d != 0 {
		out = append(out, Span(d.Abs())+word(d > 0, " longer", " shorter"))
	}
	if s.Offerings[0].place() != one.place() {
		out = append(out, "another zone")
	}
	if len(out) == 0 {
		return []string{"the same price and time"}
	}
	return out
}

func moreOrLess(diff, of Money) string {
	if c, _ := diff.Cmp(Money{new(big.Rat), diff.currency}); c == 0 {
		return "the same price"
	}
	direction, amount := "more", diff
	if diff.Negative() {
		direction, amount = "less", diff.Times(big.NewRat(-1, 1))
	}
	text := amount.Rounded(2) + " " + direction
	if of.amount.Sign() > 0 {
		share := new(big.Rat).Quo(amount.amount, of.amount)
		text += " (" + share.Mul(share, big.NewRat(100, 1)).FloatString(1) + " %)"
	}
	return text
}

func word(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

func (c Comparison) advice() string {
	const measure = "measure pairs inside a block against pairs between blocks (the validation's last step)"
	if len(c.Offerings) == 0 {
		return "Smaller blocks are what there is: take the fewest, keep each job inside one block where it fits, and " + measure + "."
	}
	return "Take the one block, unless every job fits into a smaller one: what smaller blocks save is lost when a job crosses spines. If you take several, " +
		measure + "."
}

// why tells what an alternative gives and costs.
func (a Ask) why(kind Kind, o Offering) string {
	what := fmt.Sprintf("%s: %s, %d × %s for %s in %s from %s, %s", strings.ToUpper(string(kind[:1]))+string(kind[1:]), o.ID, o.Count, o.InstanceType,
		days(o.AskedHours), zoneWords(o), clock(o.Start), o.Fee.Rounded(2))
	return what + ". " + a.consequence(kind, o)
}

func (a Ask) consequence(kind Kind, o Offering) string {
	switch kind {
	case OtherZone:
		if o.ZoneClosed {
			return "The account has to opt in to the zone, and file systems and subnets have to stand there too."
		}
		return "Subnets and file systems have to stand in that zone too: EFA does not cross zones."
	case LaterStart:
		return fmt.Sprintf("It starts %s after the window ends.", Span(o.Start.Sub(a.Until)))
	case OtherLength:
		if short := time.Duration(a.Hours-o.AskedHours) * time.Hour; short > 0 {
			return fmt.Sprintf("It is %s shorter: a block can be extended while the market has what follows, and nobody promises that it will.", Span(short))
		}
		return fmt.Sprintf("It is %s longer, and paid for whole.", Span(time.Duration(o.AskedHours-a.Hours)*time.Hour))
	default:
		return fmt.Sprintf("Its accelerators have as much memory (%s and %s): what fits into one fits into the other, at another speed and network.",
			accelerator(a.Type), accelerator(o.InstanceType))
	}
}

func accelerator(instanceType string) string {
	t, _ := catalog.Instance(instanceType)
	return fmt.Sprintf("%s %d × %s", t.Name, t.Accelerator.Count, t.Accelerator.Name)
}

// zoneWords names a zone by both names.
func zoneWords(o Offering) string {
	if o.ZoneID == "" {
		return o.Zone
	}
	return o.Zone + " (" + o.ZoneID + ")"
}
