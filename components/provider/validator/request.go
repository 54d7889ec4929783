package validator

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/validation/result"
)

// clusterName is what findings call the config, which comes without a file.
const clusterName = "cluster"

// clusterText is the cluster's config as text.
func (in *Inputs) clusterText() ([]byte, error) {
	switch c := in.Cluster.(type) {
	case string:
		return []byte(c), nil
	case map[string]any:
		text, err := json.MarshalIndent(c, "", "  ")
		if err != nil {
			return nil, fmt.Errorf("writing the cluster's config: %w", err)
		}
		return text, nil
	}
	return nil, errors.New("want " + wantCluster)
}

// config reads the cluster, with the resource's own steps and thresholds.
func (in *Inputs) config(text []byte) (config.Document, diag.List) {
	doc, findings := config.Decode(clusterName, text)
	v := &doc.Cluster.Validation
	v.Enabled = true // whoever registers the resource asks for it
	if len(in.Steps) > 0 {
		v.Steps = in.Steps
	}
	if t := in.Thresholds; t != nil {
		v.Thresholds.AllReduce = or(t.AllReduce, v.Thresholds.AllReduce)
		v.Thresholds.AllToAll = or(t.AllToAll, v.Thresholds.AllToAll)
		v.Thresholds.BetweenBlocks = or(t.BetweenBlocks, v.Thresholds.BetweenBlocks)
	}
	return doc, findings
}

func or(value, fallback float64) float64 {
	if value != 0 {
		return value
	}
	return fallback
}

// plan plans the cluster, and finds what is wrong with it.
func (in *Inputs) plan(text []byte) (plan.Cluster, diag.List) {
	doc, findings := in.config(text)
	p, planned := plan.New(doc.Cluster)
	findings.Add(doc.Place(planned)...)
	findings = findings.Apply(doc.Cluster.Rules)
	findings.Sort()
	return p, findings
}

// request makes of inputs what the runner gets. Inputs with faults make none: Check has let none through, but a state
// may have been edited.
func request(u resource.URN, props property.Map) (Request, *decoded, error) {
	d := decode(props)
	d.judge()
	if len(d.faults) > 0 {
		return Request{}, nil, fmt.Errorf("input %s: %s", d.faults[0].property, d.faults[0].reason)
	}
	if len(d.unknown) > 0 {
		return Request{}, nil, fmt.Errorf("input %s has no value", d.unknown[0])
	}
	text, err := d.clusterText()
	if err != nil {
		return Request{}, nil, err
	}
	timeout, err := d.duration()
	if err != nil {
		return Request{}, nil, err
	}
	p, _ := d.plan(text)
	r := Request{Plan: p, Head: d.Head, KeepGoing: d.KeepGoing, Timeout: timeout, ReportDirectory: d.ReportDirectory}
	if r.Head.InstanceID != "" && r.Head.Region == "" {
		r.Head.Region = p.Region
	}
	r.Key, err = key(u, d.decisive())
	return r, d, err
}

// decisive are the inputs that decide what comes out of a validation, in a form that does not depend on how the config
// is written.
type decisive struct {
	Cluster   config.Cluster
	Head      Head
	Triggers  map[string]any
	KeepGoing bool
}

func (d *decoded) decisive() decisive {
	text, _ := d.clusterText() // without a text there is a fault
	doc, _ := d.config(text)
	out := decisive{Cluster: doc.Cluster, Head: d.Head, Triggers: d.Triggers, KeepGoing: d.KeepGoing}
	if len(out.Triggers) == 0 {
		out.Triggers = nil
	}
	return out
}

// stands tells whether what came out of old inputs holds for new ones: nothing has changed that decides it, and a
// failure that was let through still is.
func stands(olds, news property.Map, outcome result.Outcome) bool {
	before, after := decode(olds), decode(news)
	if len(before.faults)+len(before.unknown)+len(after.faults)+len(after.unknown) > 0 {
		return false
	}
	if outcome == result.Failed && after.OnFailure != Warn {
		return false
	}
	return reflect.DeepEqual(before.decisive(), after.decisive())
}

// key names a validation by resource and decisive inputs.
func key(u resource.URN, d decisive) (string, error) {
	const length = 16
	text, err := json.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("naming the validation: %w", err)
	}
	sum := sha256.Sum256(append([]byte(string(u)+"\n"), text...))
	return hex.EncodeToString(sum[:])[:length], nil
}
