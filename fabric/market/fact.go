package market

import (
	"fmt"
	"time"

	"github.com/weft-hpc/weft/fabric/catalog"
)

// read is the day on which the limits of this package were read against their sources.
const read = "2026-11-30"

// Facts lists the limits of the market as rows of the catalogue, for people.
func Facts() []catalog.Fact {
	fact := func(about, value, ref string) catalog.Fact {
		return catalog.Fact{Subject: "capacity blocks: " + about, Value: value, Source: catalog.Source{Ref: ref, Date: read}}
	}
	return []catalog.Fact{
		fact("durations", fmt.Sprintf("%d to %d hours by %d, then %d to %d by %d",
			hoursPerDay, lastDays*hoursPerDay, hoursPerDay,
			(lastDays+daysPerWeek)*hoursPerDay, longestWeeks*daysPerWeek*hoursPerDay, daysPerWeek*hoursPerDay), sourcePurchase),
		fact("size", fmt.Sprintf("%d instances in one, %d in all on one date; not of every type and in every Region", MostPerBlock, MostInAll), sourceBlocks),
		fact("start", fmt.Sprintf("at most %d weeks ahead", LongestLead/(daysPerWeek*hoursPerDay*time.Hour)), sourcePurchase),
		fact("end", fmt.Sprintf("at %02d:%02d UTC; instances are ended %d minutes before, those of UltraServers %d",
			EndHour, EndMinute, int(TerminationLead.Minutes()), int(UltraServerTerminationLead.Minutes())), sourceBlocks),
		fact("warning", fmt.Sprintf("%d minutes before instances are ended", int(WarningLead.Minutes())), "EC2 User Guide, capacity-blocks-monitor"),
		fact("payment", fmt.Sprintf("within %d hours of the purchase", int(PaymentTime.Hours())), "EC2 API, CapacityReservation"),
		fact("extension", fmt.Sprintf("up to %d minutes before the end", int(ExtensionLead.Minutes())), "EC2 User Guide, capacity-blocks-extend"),
	}
}
