package source

import (
	"fmt"
	"path"
	"slices"

	"github.com/weft-hpc/weft/fabric/catalog"
	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/fabric/jobscript"
	"github.com/weft-hpc/weft/fabric/rule"
	"github.com/weft-hpc/weft/fabric/rule/read"
)

// jobKinds are the kinds of what starts jobs, or gives them their environment.
var jobKinds = map[jobscript.Kind]Kind{
	jobscript.Batch: JobScript, jobscript.Shell: JobScript, jobscript.Environment: Environment, jobscript.Dockerfile: Dockerfile,
}

// recogniseJob goes by the text, and for a text that tells nothing by the name's ending.
func recogniseJob(name, text string) jobscript.Kind {
	kind := jobscript.Recognise(text)
	if kind == jobscript.None && slices.Contains([]string{".sh", ".bash", ".sbatch", ".slurm"}, path.Ext(name)) {
		return jobscript.Shell
	}
	return kind
}

// job reads a script, an environment file or a Dockerfile.
func (d *Document) job(text string, kind jobscript.Kind) {
	d.Kind = jobKinds[kind]
	s := jobscript.Read(text, kind)
	for _, p := range s.Problems {
		d.unreadableAt(p.Position, p.Text, "text that can be read to its end", "mend it here: what is behind was not judged")
	}
	d.tellIgnored(s)
	j := read.JobScript(s, d.input(""))
	if d.options.ParallelCluster != "" {
		if version := catalog.SlurmOf(d.options.ParallelCluster); version != "" {
			j.Slurm = rule.Known(version)
		}
	}
	d.Set.JobScripts = append(d.Set.JobScripts, j)
}

// tellIgnored reports options that Slurm does not read.
func (d *Document) tellIgnored(s *jobscript.Script) {
	if len(s.Ignored) == 0 {
		return
	}
	place := diag.Place{File: d.Name, Line: s.Ignored[0].Line, Column: s.Ignored[0].Column}
	d.Findings.Add(diag.Finding{
		Rule: diag.FileUnreadable, Level: diag.Warn, Place: place,
		Got:  fmt.Sprintf("%d #SBATCH %s behind the first command, which Slurm does not read", len(s.Ignored), plural(len(s.Ignored), "option")),
		Want: "#SBATCH lines above the first command", Hint: "move them up, or remove them", Source: "Slurm, sbatch manual",
	})
}

// unreadableAt reports a part of a script that cannot be read.
func (d *Document) unreadableAt(at jobscript.Position, got, want, hint string) {
	d.Findings.Add(diag.Finding{
		Rule: diag.FileUnreadable, Place: diag.Place{File: d.Name, Line: at.Line, Column: at.Column}, Got: got, Want: want, Hint: hint,
	})
}

// plainScript takes a text that is neither JSON nor YAML for a shell script, if it is one that sets or starts something.
func (d *Document) plainScript(text string) {
	if hcl.MatchString(text) || !jobscript.Plain(text) {
		return
	}
	d.Findings = nil // of YAML
	d.job(text, jobscript.Shell)
}
