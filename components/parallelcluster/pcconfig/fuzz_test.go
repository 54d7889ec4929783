package pcconfig

import "testing"

// FuzzUpdate compares any two texts: they are no configurations, or their changes can be told.
func FuzzUpdate(f *testing.F) {
	f.Add([]byte(running), []byte(running))
	f.Add([]byte("Tags: [{Key: a}, {Key: a}, 1, null]"), []byte("Tags: {Key: a}"))
	f.Add([]byte("Scheduling: {SlurmQueues: [{Name: null}, {}]}"), []byte("Scheduling: [1]\nSharedStorage: {Name: x}"))
	f.Add([]byte("HeadNode: {CustomActions: {OnNodeStart: {Script: a}}}"), []byte(`{"HeadNode": {"CustomActions": {"OnNodeStart": {"Sequence": 7}}}}`))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		changes, err := Update("3.16.1", before, after)
		if err != nil {
			return
		}
		for _, c := range changes {
			if c.Key == "" || c.Needs < Live || c.Needs > Never {
				t.Errorf("%+v", c)
			}
		}
		for _, finding := range Refused(changes, true) {
			if finding.Hint == "" || finding.Want == "" || finding.Got == "" {
				t.Errorf("%+v", finding)
			}
		}
	})
}
