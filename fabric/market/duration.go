package market

import (
	"slices"
	"time"

	"github.com/weft-hpc/weft/fabric/catalog"
)

const (
	hoursPerDay  = 24
	daysPerWeek  = 7
	lastDays     = 14
	longestWeeks = 26
)

// When a block ends, and when EC2 begins to end its instances (EC2 User Guide, ec2-capacity-blocks): half an hour before
// the end, a full hour for UltraServers, with a warning ten minutes ahead of that (capacity-blocks-monitor).
const (
	TerminationLead            = 30 * time.Minute
	UltraServerTerminationLead = time.Hour
	WarningLead                = 10 * time.Minute

	// EndHour is the hour, in UTC, at which every block ends; EndMinute the minute.
	EndHour = 11
	// EndMinute is the minute of EndHour.
	EndMinute = 30
)

// PaymentTime is how long EC2 waits for the upfront payment before it releases a block (EC2 API, CapacityReservation).
const PaymentTime = 12 * time.Hour

// LongestLead is how far ahead a block can start: eight weeks (EC2 User Guide, capacity-blocks-purchase).
const LongestLead = 8 * daysPerWeek * hoursPerDay * time.Hour

// Lead is the time before the end of a block at which EC2 begins to end instances of a type.
func Lead(instanceType string) time.Duration {
	if t, ok := catalog.Instance(instanceType); ok && t.Blocks == catalog.UltraServerBlocks {
		return UltraServerTerminationLead
	}
	return TerminationLead
}

// SoldHours lists the durations that can be asked for, in hours: 1 to 14 days by the day, then by the week to 182 days
// (EC2 User Guide, capacity-blocks-purchase).
func SoldHours() []int {
	var out []int
	for d := 1; d <= lastDays; d++ {
		out = append(out, d*hoursPerDay)
	}
	for w := lastDays/daysPerWeek + 1; w <= longestWeeks; w++ {
		out = append(out, w*daysPerWeek*hoursPerDay)
	}
	return out
}

// AskedFor lists the durations that an offering of some real duration may have been asked for with. A block starts at any
// minute and ends at 11:30 UTC, so that what is offered differs from what was asked for by less than a day.
func AskedFor(lasts time.Duration) []int {
	return slices.DeleteFunc(SoldHours(), func(sold int) bool {
		off := lasts - time.Duration(sold)*time.Hour
		return off <= -hoursPerDay*time.Hour || off >= hoursPerDay*time.Hour
	})
}

// nearestSold gives the sold durations next to a number of hours: at most n below and n above, itself not among them.
func nearestSold(hours, n int) (shorter, longer []int) {
	for _, h := range SoldHours() {
		switch {
		case h < hours:
			shorter = append(shorter, h)
		case h > hours && len(longer) < n:
			longer = append(longer, h)
		}
	}
	return shorter[max(0, len(shorter)-n):], longer
}
