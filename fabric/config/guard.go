package config

// EndGuard brings jobs to the end of a capacity block in order: no job starts that would outlive it, running ones get a
// signal early enough for a checkpoint, and all are gone before EC2 ends the instances. It is for groups on blocks;
// others know nothing of it.
type EndGuard struct {
	// Enabled holds jobs to the end of their block. Off, they run until their instances go.
	Enabled bool `yaml:"enabled"`
	// CheckpointMinutes is the time between the signal and the end of a job: what a checkpoint takes, written whole.
	CheckpointMinutes int `yaml:"checkpointMinutes" weft:"min=1,max=1440"`
	// StopMinutes before the signal, no further job starts at all. Until then, those start that fit.
	StopMinutes int `yaml:"stopMinutes" weft:"min=0,max=10080"`
	// Signal that jobs get: USR1 for most hooks, TERM for Megatron's exit handler. A program without a handler ends by it.
	Signal string `yaml:"signal" weft:"oneof=USR1|USR2|TERM|INT|HUP"`
	// SignalTo says who gets it: the job's steps (what srun started), its batch script, or both.
	SignalTo string `yaml:"signalTo" weft:"oneof=steps|batch|all"`
	// Requeue is the group whose queue takes jobs that had the signal and may run again. Left out, they wait in their own
	// queue for an extension or the next block.
	Requeue string `yaml:"requeue"`
}

func (g *EndGuard) defaults() {
	// A block that ends unseen costs the work since the last checkpoint.
	g.Enabled = true
	// Checkpoints of large models take minutes; 15 leave room for a slow file system.
	g.CheckpointMinutes = 15
	// What Slurm itself and most training frameworks use.
	g.Signal = "USR1"
	// As Slurm's own --signal does without B:. A batch script without a trap would end by it, and the job with it.
	g.SignalTo = "steps"
}
