package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/diag"
)

// checkVersions compares what is known before anything runs with the floors of each group: the contents of the
// official image, and the versions that the config tells of the training container.
func (p *planner) checkVersions() {
	container := map[catalog.Component]string{}
	for name, version := range p.config.Workload.Components {
		container[catalog.Component(name)] = version
	}
	for i := range p.plan.Groups {
		g := &p.plan.Groups[i]
		if g.Healthy.Accelerators == 0 {
			continue
		}
		shipped := map[catalog.Component]string{}
		if official(p.image(i)) {
			shipped = p.facts.Ships
		}
		var findings diag.List
		g.Versions, findings = catalog.Judge(shipped, g.Floors(p.workload()), diag.Place{Path: groupPath(i) + ".image"})
		p.findings.Add(p.imageHints(findings)...)
	}
	p.checkContainer(container)
}

// checkContainer judges the container's versions once, with the floors of all groups.
func (p *planner) checkContainer(versions map[catalog.Component]string) {
	if len(versions) == 0 {
		return
	}
	p.checkComponents(versions)
	for _, g := range p.plan.Groups {
		_, findings := catalog.Judge(versions, g.Floors(p.workload()), diag.Place{Path: "workload.components"})
		for _, f := range findings {
			if !slices.Contains(p.findings, f) {
				p.findings.Add(f)
			}
		}
	}
}

// checkComponents names versions of components that the catalogue does not know.
func (p *planner) checkComponents(versions map[catalog.Component]string) {
	known := catalog.Components()
	for name := range versions {
		if !slices.Contains(known, name) {
			p.add(diag.ConfigKey, "workload.components."+string(name), string(name),
				fmt.Sprintf("one of %v", known), "name the component as the catalogue does", "")
		}
	}
}

// image is what a group boots.
func (p *planner) image(i int) config.Image {
	if own := p.config.Groups[i].Image; own != nil {
		return *own
	}
	return p.config.Image
}

func official(i config.Image) bool { return i.AMI == "" && i.Recipe == "" }

// imageHints adds what helps with an official image: another ParallelCluster version, or an image of one's own.
func (p *planner) imageHints(findings diag.List) diag.List {
	for i := range findings {
		findings[i].Got = fmt.Sprintf("%s in the official image of ParallelCluster %s", findings[i].Got, p.facts.Version)
		hint := "build an image of your own (image.recipe)"
		if newest := catalog.NewestJudgedRelease().Version; newest != p.facts.Version {
			hint = fmt.Sprintf("set parallelcluster to %s, or %s", newest, hint)
		}
		findings[i].Hint = hint
	}
	return findings
}

// checkSystem names an operating system that ParallelCluster refuses for the type.
func (p *planner) checkSystem(i int, instanceType string) {
	os, ok := p.facts.OS(p.config.OS)
	if !ok || os.Takes(instanceType) {
		return
	}
	var takes []string
	for _, o := range p.facts.OSes {
		if o.Takes(instanceType) {
			takes = append(takes, o.Name)
		}
	}
	p.add(diag.PCOS, groupPath(i)+".instanceType", fmt.Sprintf("%s on %s", instanceType, os.Name),
		"one of "+strings.Join(takes, ", "), "set os to one of these", "ParallelCluster "+p.facts.Version)
}
