package validator

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/diag/render"
)

// Check judges the inputs: each of them, and the plan of the cluster. What has no value yet is judged when it has.
func (v *Validator) Check(_ context.Context, r plugin.CheckRequest) (plugin.CheckResponse, error) {
	d := decode(r.NewInputs)
	d.judge()
	out := plugin.CheckResponse{Properties: r.NewInputs}
	for _, f := range d.faults {
		out.Failures = append(out.Failures, plugin.CheckFailure{Property: resource.PropertyKey(f.property), Reason: f.reason})
	}
	return out, nil
}

// judge finds the faults of inputs that could be read.
func (d *decoded) judge() {
	for _, check := range []struct {
		property string
		judge    func()
	}{
		{"cluster", d.judgeCluster},
		{"head", d.judgeHead},
		{"steps", d.judgeSteps},
		{"thresholds", d.judgeThresholds},
		{"onFailure", d.judgeOnFailure},
		{"timeout", d.judgeTimeout},
	} {
		read := !slices.ContainsFunc(d.faults, func(f fault) bool { return f.property == check.property })
		if read && d.known(check.property) {
			check.judge()
		}
	}
}

func (d *decoded) judgeCluster() {
	text, err := d.clusterText()
	if err != nil {
		d.add("cluster", "%v", err)
		return
	}
	if !d.known("steps") || !d.known("thresholds") {
		return // they are part of the plan
	}
	_, findings := d.plan(text)
	for _, f := range findings.AtLeast(diag.Error) {
		d.add("cluster", "%s", shown(f, text))
	}
}

// shown is a finding as text, with its line of the config where it has one.
func shown(f diag.Finding, cluster []byte) string {
	var text strings.Builder
	// A builder takes everything.
	_ = render.Text(&text, diag.List{f}, render.Options{Notes: true, Bare: true, Sources: map[string][]byte{clusterName: cluster}})
	return strings.TrimSpace(text.String())
}

var (
	instanceForm = regexp.MustCompile(`^i-[0-9a-f]{8,17}$`)
	// A name that begins with a dash would be an option of ssh.
	sshForm = regexp.MustCompile(`^([A-Za-z0-9_][A-Za-z0-9_.-]*@)?[A-Za-z0-9\[][A-Za-z0-9.:\]_-]*$`)
)

func (d *decoded) judgeHead() {
	h := d.Head
	ways := 0
	for _, given := range []bool{h.InstanceID != "", h.SSH != "", h.Local} {
		if given {
			ways++
		}
	}
	switch {
	case ways != 1:
		d.add("head", "got %d ways to the head node; want %s", ways, wantHead)
	case h.InstanceID != "" && !instanceForm.MatchString(h.InstanceID):
		d.add("head", "instanceId is %q; want the id of an instance, i-…", h.InstanceID)
	case h.SSH != "" && !sshForm.MatchString(h.SSH):
		d.add("head", "ssh is %q; want user@host; a port or a key belongs in ~/.ssh/config", h.SSH)
	case h.Region+h.Profile != "" && h.InstanceID == "":
		d.add("head", "region and profile go with instanceId only; remove them")
	}
}

func (d *decoded) judgeSteps() {
	for _, s := range d.Steps {
		if !slices.Contains(steps(), s) {
			d.add("steps", "there is no step %q; there are %s", s, strings.Join(steps(), ", "))
		}
	}
}

func (d *decoded) judgeThresholds() {
	if d.Thresholds == nil {
		return
	}
	for _, t := range []struct {
		name  string
		share float64
	}{
		{"allReduce", d.Thresholds.AllReduce}, {"allToAll", d.Thresholds.AllToAll}, {"betweenBlocks", d.Thresholds.BetweenBlocks},
	} {
		if t.share < 0 || t.share > 1 {
			d.add("thresholds", "%s is %v; want a share of the expected figure, over 0 up to 1", t.name, t.share)
		}
	}
}

func (d *decoded) judgeOnFailure() {
	if !slices.Contains([]string{"", Fail, Warn}, d.OnFailure) {
		d.add("onFailure", "got %q; want %s or %s", d.OnFailure, Fail, Warn)
	}
}

func (d *decoded) judgeTimeout() {
	if _, err := d.duration(); err != nil {
		d.add("timeout", "%v", err)
	}
}

// duration of the timeout; 0 where none is given.
func (in *Inputs) duration() (time.Duration, error) {
	if in.Timeout == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(in.Timeout)
	if err != nil || d <= 0 {
		return 0, &badTimeout{in.Timeout}
	}
	return d, nil
}

type badTimeout struct{ text string }

func (b *badTimeout) Error() string {
	return `got "` + b.text + `"; want a duration over zero, such as 2h30m`
}
