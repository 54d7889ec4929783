package parallelcluster

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/weft-hpc/weft/components/parallelcluster/pcconfig"
)

// collector joins inputs into one output of ids.
type collector struct {
	inputs []any
	set    []func(ids *pcconfig.IDs, value any)
}

// text takes an id; an input that is left out stays empty.
func (c *collector) text(input pulumi.StringInput, field func(*pcconfig.IDs) *string) {
	if input == nil {
		return
	}
	c.inputs = append(c.inputs, input)
	c.set = append(c.set, func(ids *pcconfig.IDs, value any) { *field(ids) = fmt.Sprint(value) })
}

// table takes ids by name, in the order of the names; those that are left out stay empty.
func (c *collector) table(inputs map[string]pulumi.StringInput, field func(*pcconfig.IDs) *map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		if inputs[name] == nil {
			continue
		}
		c.inputs = append(c.inputs, inputs[name])
		c.set = append(c.set, func(ids *pcconfig.IDs, value any) {
			table := field(ids)
			if *table == nil {
				*table = map[string]string{}
			}
			(*table)[name] = fmt.Sprint(value)
		})
	}
}

func (c *collector) templates(inputs map[string]Template) {
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		if inputs[name].ID == nil || inputs[name].Version == nil {
			continue
		}
		c.inputs = append(c.inputs, inputs[name].ID, inputs[name].Version)
		c.set = append(c.set,
			func(ids *pcconfig.IDs, value any) {
				if ids.Templates == nil {
					ids.Templates = map[string]pcconfig.Template{}
				}
				ids.Templates[name] = pcconfig.Template{ID: fmt.Sprint(value)}
			},
			func(ids *pcconfig.IDs, value any) {
				template := ids.Templates[name]
				template.Version, _ = value.(int) // an IntInput gives nothing else
				ids.Templates[name] = template
			})
	}
}

// render gives what a function makes of the ids, once all of them are known.
func (c *collector) render(write func(pcconfig.IDs) ([]byte, error)) pulumi.StringOutput {
	return pulumi.All(c.inputs...).ApplyT(func(values []any) (string, error) {
		var ids pcconfig.IDs
		for i, value := range values {
			c.set[i](&ids, value)
		}
		text, err := write(ids)
		return string(text), err
	}).(pulumi.StringOutput) //nolint:forcetypeassert // ApplyT of a function to string gives no other output
}

func (c *collector) bootBucket(a Args) {
	c.text(a.BootBucket, func(ids *pcconfig.IDs) *string { return &ids.BootBucket })
}

func (a Args) collect(loginPolicy pulumi.StringInput) *collector {
	var c collector
	c.text(a.HeadSubnetID, func(ids *pcconfig.IDs) *string { return &ids.HeadSubnet })
	c.text(a.LoginSubnetID, func(ids *pcconfig.IDs) *string { return &ids.LoginSubnet })
	c.text(a.ClusterSecurityGroupID, func(ids *pcconfig.IDs) *string { return &ids.ClusterSecurityGroup })
	c.bootBucket(a)
	c.text(a.ImageID, func(ids *pcconfig.IDs) *string { return &ids.Image })
	c.table(a.ComputeSubnetIDs, func(ids *pcconfig.IDs) *map[string]string { return &ids.ComputeSubnets })
	c.table(a.ImageIDs, func(ids *pcconfig.IDs) *map[string]string { return &ids.Images })
	c.table(a.ReservationIDs, func(ids *pcconfig.IDs) *map[string]string { return &ids.Reservations })
	c.table(a.FileSystemIDs, func(ids *pcconfig.IDs) *map[string]string { return &ids.FileSystems })
	c.templates(a.Templates)
	if loginPolicy != nil {
		c.inputs = append(c.inputs, loginPolicy)
		c.set = append(c.set, func(ids *pcconfig.IDs, value any) { ids.LoginPolicies = []string{fmt.Sprint(value)} })
	}
	return &c
}
