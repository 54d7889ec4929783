package preflight

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
)

const (
	sourceTags = "ParallelCluster, CustomAmiTagValidator"

	// An image can't be lifted to another version: its recipe is rendered for the cluster, and built again.
	rebuild = "weft ami render RECIPE --cluster CLUSTER; or name the recipe as image.recipe, and the stack builds it"
)

// built reports that ParallelCluster built the image, as far as its tags tell.
func (i Image) built() bool { return catalog.ImageBuilt(i.Tags) }

// version is the ParallelCluster version that an image was built for, and where that is written.
func (i Image) version() (version, where string) {
	return catalog.ImageVersion(i.Tags[catalog.TagVersion], i.Name, i.Amazon)
}

// seen is an image that exists, and the first place that names it.
type seen struct {
	Image
	place diag.Place
}

func (v *view) images() []seen {
	var out []seen
	for _, u := range imageUses(v.plan) {
		if image, ok := v.observed.image(u.id); ok {
			out = append(out, seen{image, at(u.path, u.id)})
		}
	}
	return out
}

// judgeImageVersion compares versions as whole words: 3.1 is not 3.16.1.
func judgeImageVersion(v *view) {
	want := v.plan.ParallelCluster
	for _, i := range v.images() {
		got, where := i.version()
		switch {
		case got == want:
		case got != "":
			v.add(i.place, fmt.Sprintf("%s is of ParallelCluster %s (%s)", i.ID, got, where), want+", as parallelcluster says",
				fmt.Sprintf("build the image anew on a parent of %s (%s), or set parallelcluster to %s", want, rebuild, got),
				sourceTags+"; aws/aws-parallelcluster#4909")
		case i.built():
			v.add(i.place, fmt.Sprintf("%s has ParallelCluster's tags, but none %s", i.ID, catalog.TagVersion), want+" in that tag",
				"build the image anew ("+rebuild+"): a version that can't be read is no version", sourceTags)
		default:
			v.addAt(diag.Warn, i.place, fmt.Sprintf("%s has no %s tag", i.ID, catalog.TagPrefix), "an image that ParallelCluster "+want+" built",
				"ParallelCluster takes it with a warning, and at boot each node looks for the software of "+want+" on it: a node that does not find it fails, and with it the creation of the cluster. Build it with pcluster build-image ("+rebuild+")",
				sourceTags)
		}
	}
}

func judgeBuildStatus(v *view) {
	for _, i := range v.images() {
		if i.State != "available" {
			v.add(i.place, fmt.Sprintf("%s is %s", i.ID, i.State), "available", "wait for the image, or name another: EC2 starts nothing from it", "EC2 API, DescribeImages")
		}
		status, tagged := i.Tags[catalog.TagBuildStatus]
		switch {
		case i.Tags[catalog.TagVersion] == "" || status == catalog.ImageBuildDone:
		case !tagged:
			v.add(i.place, fmt.Sprintf("%s has tag %s and none %s", i.ID, catalog.TagVersion, catalog.TagBuildStatus), "available in that tag",
				"build the image anew, or copy the tag from the image it was made of: ParallelCluster refuses it without", sourceTags)
		default:
			v.add(i.place, fmt.Sprintf("%s has %q in tag %s", i.ID, status, catalog.TagBuildStatus), `"available"`,
				"build the image anew: its build did not end well", sourceTags)
		}
	}
}

func judgeImageOS(v *view) {
	want := v.plan.OS.Name
	for _, i := range v.images() {
		got, tagged := i.Tags[catalog.TagOS]
		switch {
		case want == "" || got == want:
		case tagged:
			v.add(i.place, fmt.Sprintf("%s holds %s (tag %s)", i.ID, got, catalog.TagOS), want+", as os says",
				fmt.Sprintf("set os to %s, or name an image with %s", got, want), "ParallelCluster, AmiOsCompatibleValidator")
		case i.built():
			v.addAt(diag.Warn, i.place, fmt.Sprintf("%s has no tag %s", i.ID, catalog.TagOS), want+" in that tag",
				"see to it that the image holds "+want, "ParallelCluster, AmiOsCompatibleValidator")
		}
	}
}

// judgeArchitecture says once for an image which nodes it does not fit.
func judgeArchitecture(v *view) {
	for _, i := range v.images() {
		var misfits []boot
		for _, b := range boots(v.plan) {
			if b.image == i.ID && b.arch != "" && b.arch != i.Architecture {
				misfits = append(misfits, b)
			}
		}
		if len(misfits) == 0 {
			continue
		}
		var who []string
		for _, b := range misfits {
			who = append(who, b.who)
		}
		v.add(at(misfits[0].path, i.ID), fmt.Sprintf("%s is for %s", i.ID, i.Architecture),
			fmt.Sprintf("%s, the architecture of %s", misfits[0].arch, strings.Join(who, ", ")),
			"name an image of the nodes' architecture", "ParallelCluster, InstanceTypeBaseAMICompatibleValidator")
	}
}

// judgeNVIDIA: build-image leaves NVIDIA software out unless it is asked for.
func judgeNVIDIA(v *view) {
	var said []string
	for _, b := range boots(v.plan) {
		image, ok := v.observed.image(b.image)
		if !ok || !b.gpus || !image.built() || strings.TrimSpace(image.Tags[catalog.TagNVIDIAVersion]) != "" || slices.Contains(said, b.image) {
			continue
		}
		said = append(said, b.image)
		v.add(at(b.path, b.image), fmt.Sprintf("%s names no version in tag %s", b.image, catalog.TagNVIDIAVersion), "the NVIDIA driver that "+b.who+" needs",
			"build it with NVIDIA software (Build/Installation/NvidiaSoftware/Enabled), or, where the parent image brought the driver, leave this check out with that as the reason",
			"ParallelCluster build-image: NVIDIA software is off by default")
	}
}
