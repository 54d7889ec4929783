package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	documentType    = "aws:ssm/document:Document"
	associationType = "aws:ssm/association:Association"
)

// guardParts are what a guard is made of.
var guardParts = map[string]int{
	documentType: 1, associationType: 1,
	"aws:cloudwatch/eventRule:EventRule": 2, "aws:cloudwatch/eventTarget:EventTarget": 2,
	"aws:iam/role:Role": 1, "aws:iam/rolePolicy:RolePolicy": 1,
}

// parts counts the guard's own among what exists.
func (d *deployment) parts() map[string]int {
	out := map[string]int{}
	for typ, n := range count(d.made()) {
		if guardParts[typ] > 0 {
			out[typ] = n
		}
	}
	return out
}

// A cluster gets its guard on the head node. A change of the guard runs anew and is waited for; turned off, it is taken off
// the head node.
func TestGuardOfAClusterOnABlock(t *testing.T) {
	t.Parallel()
	text := example(t, "p5en-capacity-block")
	d := deploy(t, text, nil)
	up := d.Up()
	require.NoError(t, up.Err, steps(up))
	require.Equal(t, guardParts, d.parts())
	first := d.made().IDs(associationType)
	association, _ := d.made().Get(associationType, first[0])
	require.Equal(t, []string{up.Outputs()["headNode"].(string)}, association.Inputs.Objects("targets")[0].Texts("values")) //nolint:forcetypeassert // the program exports text

	d.configure(text + "\nendGuard: {checkpointMinutes: 30}\n")
	change := d.Up()
	require.NoError(t, change.Err, steps(change))
	require.Equal(t, 1, change.Count("replace"), steps(change))
	require.Equal(t, guardParts, d.parts())
	require.NotEqual(t, first, d.made().IDs(associationType))
	require.True(t, d.Up().Unchanged())

	d.configure(text + "\nendGuard: {enabled: false}\n")
	off := d.Up()
	require.NoError(t, off.Err, steps(off))
	require.Equal(t, map[string]int{documentType: 1, associationType: 1}, d.parts())
	document, _ := d.made().Get(documentType, d.made().IDs(documentType)[0])
	require.Contains(t, document.Inputs.Text("content"), `"enabled='0'"`)

	destroy := d.Destroy()
	require.NoError(t, destroy.Err, steps(destroy))
	require.Zero(t, d.made().Len())
}

// A cluster that leaves its block needs no guard. A name of 60 characters that begins like AWS's own is no hindrance.
func TestGuardGoesWithTheBlock(t *testing.T) {
	t.Parallel()
	const block = "{block: {reservation: cr-0123456789abcdef0}}"
	text := "name: aws-" + strings.Repeat("x", 56) + `
region: us-east-2
network: {create: {}}
groups:
  - {name: train, instanceType: p5en.48xlarge, count: 4, zone: us-east-2a, capacity: ` + block + `}
`
	d := deploy(t, text, nil)
	up := d.Up()
	require.NoError(t, up.Err, steps(up))
	require.Equal(t, guardParts, d.parts())

	d.configure(strings.Replace(text, block, "{onDemand: true}", 1))
	change := d.Up()
	require.NoError(t, change.Err, steps(change))
	require.Empty(t, d.parts())
}
