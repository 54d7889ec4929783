package slurm

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/weft-hpc/weft/offline/slurm/replay"
)

// controller is the key of the controller's port.
const controller = ""

// prepare writes everything that the daemons read.
func (l *Lab) prepare() error {
	for _, dir := range []string{"bin", "dev", "state", "home", "image"} {
		if err := os.MkdirAll(l.path(dir), 0o700); err != nil {
			return fmt.Errorf("making the lab's folder: %w", err)
		}
	}
	if err := l.choosePorts(); err != nil {
		return err
	}
	key := make([]byte, 128)
	if _, err := rand.Read(key); err != nil {
		return fmt.Errorf("drawing munge's key: %w", err)
	}
	files := map[string][]byte{"munge.key": key, "slurm.conf": []byte(l.configuration()), "gres.conf": []byte(l.resources())}
	for i := range l.gpus() {
		files[fmt.Sprintf("dev/gpu%d", i)] = nil
	}
	for name, data := range files {
		if err := os.WriteFile(l.path(name), data, 0o600); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	return l.preparePrograms()
}

func (l *Lab) preparePrograms() error {
	if l.options.Replay != "" {
		if err := link(l.options.Replay, l.path("bin"), replay.Programs()); err != nil {
			return err
		}
		if err := replay.Image(l.path("image")); err != nil {
			return err
		}
	}
	for _, q := range l.options.Queues {
		if err := l.SetScenario(q.Name, q.Scenario); err != nil {
			return err
		}
	}
	return nil
}

// SetScenario changes what happens on a queue's nodes; jobs that start from now on go by it.
func (l *Lab) SetScenario(queue string, s replay.Scenario) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("writing a scenario: %w", err)
	}
	if err := os.WriteFile(filepath.Join(l.dir, replay.ScenarioFile(queue)), data, 0o600); err != nil {
		return fmt.Errorf("writing a scenario: %w", err)
	}
	return nil
}

// choosePorts asks the system for free ports, all open at once so that no two are the same.
func (l *Lab) choosePorts() error {
	l.ports = map[string]int{}
	for _, name := range append([]string{controller}, l.Nodes()...) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return fmt.Errorf("looking for a free port: %w", err)
		}
		defer func() { _ = listener.Close() }()
		l.ports[name] = listener.Addr().(*net.TCPAddr).Port
	}
	return nil
}

func (l *Lab) gpus() int {
	most := 0
	for _, q := range l.options.Queues {
		most = max(most, q.GPUs)
	}
	return most
}

// configuration is slurm.conf. Nothing binds or contains processes (task/none, proctrack/linuxproc): nodes claim more than the machine has.
// The controller looks at its queue at once, because jobs of seconds would wait for it otherwise.
func (l *Lab) configuration() string {
	dead := l.options.DeadAfter
	if dead == 0 {
		dead = 10 * time.Second
	}
	var b strings.Builder
	fmt.Fprintf(&b, `ClusterName=weft
SlurmctldHost=localhost
SlurmctldPort=%d
SlurmUser=%s
SlurmdUser=%s
AuthType=auth/munge
CryptoType=crypto/munge
AuthInfo=socket=%s
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
ReturnToService=2
SlurmdTimeout=%d
KillWait=1
SlurmctldPidFile=%s
SlurmctldLogFile=%s
StateSaveLocation=%s
SlurmdPidFile=%s
SlurmdLogFile=%s
SlurmdSpoolDir=%s
SwitchType=switch/none
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,bf_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
GresTypes=gpu
SlurmdParameters=config_overrides
`, l.ports[controller], userName(), userName(), l.path("munge.sock"), int(dead/time.Second),
		l.path("ctld.pid"), l.path("ctld.log"), l.path("state"), l.path("slurmd.%n.pid"), l.path("slurmd.%n.log"), l.path("spool.%n"))
	for i, q := range l.options.Queues {
		for _, node := range q.Nodes {
			fmt.Fprintf(&b, "NodeName=%s NodeHostname=localhost NodeAddr=127.0.0.1 Port=%d %s RealMemory=2000000 Gres=gpu:%d State=UNKNOWN\n",
				node, l.ports[node], sockets(q.CPUs), q.GPUs)
		}
		fmt.Fprintf(&b, "PartitionName=%s Nodes=%s MaxTime=INFINITE State=UP", q.Name, strings.Join(q.Nodes, ","))
		if i == 0 {
			b.WriteString(" Default=YES")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// sockets describes CPUs as two sockets of cores with two threads each, as the big instance types have them.
func sockets(cpus int) string {
	if cpus%4 != 0 {
		return fmt.Sprintf("CPUs=%d", cpus)
	}
	return fmt.Sprintf("CPUs=%d Sockets=2 CoresPerSocket=%d ThreadsPerCore=2", cpus, cpus/4)
}

func (l *Lab) resources() string {
	var b strings.Builder
	for _, q := range l.options.Queues {
		if q.GPUs == 0 {
			continue
		}
		fmt.Fprintf(&b, "NodeName=%s Name=gpu File=%s\n", strings.Join(q.Nodes, ","), l.path(fmt.Sprintf("dev/gpu[0-%d]", q.GPUs-1)))
	}
	return b.String()
}
