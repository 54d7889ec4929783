// Package mirror makes the emulated AWS account that fits a cluster: For holds everything that the cluster's config
// names, Add what `pulumi up` has made of it.
//
// With both, the real ParallelCluster judges a rendered configuration against exactly the resources that it names, and
// every example has an account without a file of its own.
package mirror

import (
	"errors"
	"fmt"
	"time"

	"github.com/weft-hpc/weft/account/preflight"
	"github.com/weft-hpc/weft/fabric/config"
	"github.com/weft-hpc/weft/fabric/plan"
	"github.com/weft-hpc/weft/offline/account"
)

// For is an account in which everything that a plan's config names exists and is right: reservations of the right kind,
// type, zone and size that run at a time, networks with room, file systems that the nodes reach, keys, images, buckets,
// policies, offerings and quotas. What weft makes itself is not in it.
//
// It is an error if the config names what the emulated account cannot hold: a database of Slurm accounting, images of a
// ParallelCluster version whose images are not known.
func For(p plan.Cluster, now time.Time) (account.World, error) {
	m := maker{plan: p, config: p.Config, now: now}
	m.world.Region = p.Region
	m.network()
	m.capacity()
	m.storage()
	m.identity()
	m.quotas()
	if p.Config.Slurm.Database != nil {
		m.errs = append(m.errs, errors.New("slurm.database: the emulated account keeps no secrets"))
	}
	if err := errors.Join(append(m.errs, m.images())...); err != nil {
		return account.World{}, fmt.Errorf("making an account for %s: %w", p.Name, err)
	}
	return m.world, nil
}

// maker fills a world.
type maker struct {
	plan   plan.Cluster
	config config.Cluster
	now    time.Time
	world  account.World
	errs   []error
}

// quotas leaves room for what the plan asks of each quota that binds.
func (m *maker) quotas() {
	const room = 2
	for _, q := range preflight.Demand(m.plan) {
		m.world.Quotas = append(m.world.Quotas, account.Quota{Service: q.Service, Code: q.Code, Name: q.Code, Value: room * q.Value})
	}
}
