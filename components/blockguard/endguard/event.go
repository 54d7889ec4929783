package endguard

import "fmt"

// Event of EC2 about a capacity block.
type Event string

// The events.
const (
	Delivered Event = "delivered" // the block has started
	Warning   Event = "warning"   // EC2 begins to end instances ten minutes later
)

// detailTypes: versions of one page of EC2's guide disagree (capacity-blocks-monitor), so that both are matched.
var detailTypes = map[Event][]string{
	Delivered: {"Capacity Block Delivered", "Capacity Block Reservation Delivered"},
	Warning:   {"Capacity Block Expiration Warning", "Capacity Block Reservation Expiration Warning"},
}

// Pattern is the event pattern of a rule for an event of the spec's blocks, as JSON.
func (s Spec) Pattern(e Event) (string, error) {
	return compact(map[string]any{
		"source":      []string{"aws.ec2"},
		"detail-type": detailTypes[e],
		"detail":      map[string]any{"capacity-reservation-id": s.reservations()},
	})
}

// InputPaths are what a target takes of an event.
func InputPaths() map[string]string {
	return map[string]string{"reservation": "$.detail.capacity-reservation-id", "end": "$.detail.end-date"}
}

// InputTemplate makes the document's parameters of an event.
func InputTemplate(e Event) string {
	action := map[Event]string{Delivered: ActionDelivered, Warning: ActionRun}[e]
	return fmt.Sprintf(`{"Action":["%s"],"Reservation":[<reservation>],"End":[<end>]}`, action)
}
