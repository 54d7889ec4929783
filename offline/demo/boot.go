package demo

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/components/parallelcluster/pcconfig"
	"github.com/weft-hpc/weft/fabric/plan/show"
	"github.com/weft-hpc/weft/offline/standin"
)

// showBoot shows what nodes run at boot, and holds the checksums against what lies in the bucket.
func (d *demo) showBoot() error {
	made, err := d.pulumi.World().View()
	if err != nil {
		return err
	}
	stored := checksums(made)
	var rows []show.Row
	for _, n := range pcconfig.BootActions(d.plan) {
		for _, a := range slices.Concat(n.OnStart, n.OnConfigured) {
			bucket, there := stored[a.Script.Key()+" "+a.Script.SHA256]
			if !there {
				return fmt.Errorf("no object %s with the SHA-256 that its name has", a.Script.Key())
			}
			rows = append(rows, show.Row{strings.TrimSpace(string(n.Kind) + " " + n.Name), string(a.Script.Name), bucket, a.Script.SHA256})
		}
	}
	if len(rows) == 0 {
		d.say("\n  no node runs a boot action of weft's")
		return nil
	}
	d.say("\n  What nodes run at boot, before scripts of yours:\n")
	return show.Table(d.Out, "  ", show.Row{"nodes", "boot action", "bucket", "SHA-256, that of the object as well"}, rows...)
}

// checksums computes the SHA-256 of every object that lies in a bucket: by "key sha256", the bucket.
func checksums(w *standin.World) map[string]string {
	const objects = "aws:s3/bucketObjectv2:BucketObjectv2"
	out := map[string]string{}
	for _, id := range w.IDs(objects) {
		o, _ := w.Get(objects, id)
		sum := sha256.Sum256([]byte(o.Inputs.Text("content")))
		out[o.Inputs.Text("key")+" "+hex.EncodeToString(sum[:])] = o.Inputs.Text("bucket")
	}
	return out
}
