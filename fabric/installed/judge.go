package installed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
)

// Side is where software is installed.
type Side string

// The sides. A node without containers is a host.
const (
	Host      Side = "host"
	Container Side = "container"
)

// Row is a verdict with the side it is about and where the version was read.
type Row struct {
	Side Side
	catalog.Verdict
	Read Version // zero where the version is not known, or was concluded from the EFA installer's
}

// Judge compares what is installed with the floors of an instance type, on the host and, where one is given, in a
// container on it; and both with each other. A list that was not given is nil.
//
// With a container the job has the container's user space: of the host only the kernel, its modules and the node's
// services are judged. A container without a host leaves those not known, which is no pass.
func Judge(instanceType string, floors []catalog.Floor, host, container *List) ([]Row, diag.List) {
	if host == nil {
		host = &List{}
	}
	part := catalog.Whole
	if container != nil {
		part = catalog.HostPart
	}
	rows, findings := judgePart(Host, part, *host, floors)
	findings.Add(flavours(*host, instanceType)...)
	if container != nil {
		more, judged := judgePart(Container, catalog.ContainerPart, *container, floors)
		rows = append(rows, more...)
		findings.Add(judged...)
		findings.Add(container.Stack(catalog.ContainerPart).On(host.Stack(catalog.Whole), floors)...)
	}
	return rows, findings
}

func judgePart(side Side, part catalog.Part, l List, floors []catalog.Floor) ([]Row, diag.List) {
	stack := l.Stack(part)
	var findings diag.List
	findings.Add(contradictions(l.of(part))...)
	findings.Add(bases(l)...)
	verdicts, judged := stack.Judge(floors)
	findings.Add(judged...)
	counting := l.counting()
	rows := make([]Row, len(verdicts))
	for i, v := range verdicts {
		rows[i] = Row{Side: side, Verdict: v}
		if v.Bundle == "" {
			rows[i].Read = counting[v.Component]
		}
	}
	return rows, findings
}

// of leaves out what a part does not hold: a kernel module in a container is dead weight.
func (l List) of(part catalog.Part) List {
	l.Versions = slices.DeleteFunc(slices.Clone(l.Versions), func(v Version) bool { return !part.Holds(v.Component) })
	return l
}

// contradictions finds components that are there in several versions, and what is there beside what the EFA installer
// brought. Open MPI is not one: the installer itself brings two series.
func contradictions(l List) diag.List {
	var out diag.List
	for _, c := range catalog.Components() {
		versions := differing(l.Of(c))
		if len(versions) > 1 && c != catalog.OpenMPI {
			out.Add(contradiction(versions))
		}
	}
	out.Add(besideInstaller(l)...)
	return out
}

// differing keeps the first of versions that agree.
func differing(all []Version) []Version {
	var out []Version
	for _, v := range all {
		if !slices.ContainsFunc(out, func(have Version) bool { return same(have, v) }) {
			out = append(out, v)
		}
	}
	return out
}

func contradiction(versions []Version) diag.Finding {
	counting := versions[0]
	told := make([]string, len(versions))
	for i, v := range versions {
		told[i] = v.told()
		if counts(v, counting) {
			counting = v
		}
	}
	f := diag.Finding{
		Rule:  diag.VerContradictory,
		Place: versions[len(versions)-1].Place,
		Got:   string(counting.Component) + " " + strings.Join(told, " and "),
		Want:  "one version of " + string(counting.Component),
		Hint:  fmt.Sprintf("%s is judged; find out which one a job gets, and remove the other", counting.Text),
	}
	switch {
	case counting.Component == catalog.CUDA:
		f.Hint = fmt.Sprintf("%s is judged, the newest of the toolkits side by side; name the one that the job uses", counting.Text)
	case slices.ContainsFunc(versions, func(v Version) bool { return v.Format == ModInfo }):
		f.Hint = fmt.Sprintf("%s is judged; the module for the running kernel is not the package's: rebuild it (dkms status) and load it again", counting.Text)
	}
	return f
}

// told gives "2.0 (gdrdrv-dkms, node.txt:3)".
func (v Version) told() string { return fmt.Sprintf("%s (%s, %s)", v.Text, v.From, v.Place) }

// besideInstaller finds the plugin, libfabric and kernel driver that are not those of the installed EFA installer.
func besideInstaller(l List) diag.List {
	counting := l.counting()
	installer, ok := catalog.Installer(counting[catalog.EFAInstaller].Text)
	if !ok {
		return nil
	}
	var out diag.List
	for _, c := range []catalog.Component{catalog.EFADriver, catalog.Libfabric, catalog.OFIPlugin} {
		have, ok := counting[c]
		brought := Version{Component: c, Text: installer.Contents()[c]}
		if _, err := parse(have); !ok || err != nil || brought.Text == "" || same(have, brought) {
			continue
		}
		out.Add(diag.Finding{
			Rule:  diag.VerContradictory,
			Place: have.Place,
			Got:   fmt.Sprintf("%s %s beside %s of %s", c, have.told(), brought.Text, counting[catalog.EFAInstaller].named()),
			Want:  fmt.Sprintf("one %s: %s, which that installer brings, or an installer with %s", c, brought.Text, have.Text),
			Hint:  fmt.Sprintf("%s is judged; keep one copy and see in the NCCL log which one is loaded", have.Text),
		})
	}
	return out
}

// named gives "efa-installer 1.47.0 (Dockerfile:3)".
func (v Version) named() string { return fmt.Sprintf("%s %s (%s)", v.Component, v.Text, v.Place) }

// bases says of which images nobody read the content.
func bases(l List) diag.List {
	var out diag.List
	for _, b := range l.Bases {
		hint := "run in the image: dpkg -l; pip freeze; cat /opt/amazon/efa_installed_packages; printenv; and give the output with --container"
		if b.NGC && b.EFA && !b.PlainPlugin {
			hint += "; the EFA installer sees an NGC image and takes NVIDIA's road for aws-ofi-nccl unless it is run with --disable-ngc"
		}
		out.Add(diag.Finding{
			Rule: diag.VerBaseImage, Place: b.Place,
			Got:    "base image " + b.Image + ", of which only the name is known",
			Want:   "versions read from the image: releases of one image differ in aws-ofi-nccl, libfabric and NCCL, and can lack them",
			Hint:   hint,
			Source: "NVIDIA-NeMo/Megatron-Bridge pull request 5033; awslabs/awsome-distributed-ai pull requests 1240 and 1256",
		})
	}
	return out
}
