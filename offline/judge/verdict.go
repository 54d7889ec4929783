package judge

// passed is what ParallelCluster says to a dry run without an error.
const passed = "Request would have succeeded, but DryRun flag is set."

// Verdict is what ParallelCluster says to a configuration.
type Verdict struct {
	// Accepted is true when the dry run passed, with or without findings.
	Accepted bool
	// Message is ParallelCluster's own summary. Of a refusal that came before the validators ran it is all there is.
	Message string
	// Findings are of all levels, in ParallelCluster's order, which is not the same each time.
	Findings []Finding
}

// Finding is one remark of a validator.
type Finding struct {
	Level   string `json:"level"` // ERROR, WARNING or INFO
	Type    string `json:"type"`  // the validator's name
	Message string `json:"message"`
}

// UpdateVerdict is what ParallelCluster says to the change of a cluster that runs.
type UpdateVerdict struct {
	Verdict
	// Changes are all changes that ParallelCluster sees.
	Changes []Change
	// Refused are those that it does not take in the state in which the cluster is.
	Refused []Refusal
}

// Change is one changed parameter.
type Change struct {
	Parameter string `json:"parameter"` // such as Scheduling.SlurmQueues[train].CapacityType
	Requested string `json:"requestedValue"`
	Current   string `json:"currentValue"`
}

// Refusal is a change that is not taken, and why.
type Refusal struct {
	Change
	Message string `json:"message"`
}

// answer is what the command line prints.
type answer struct {
	Message string `json:"message"`
	// Errors holds all findings of a refusal, Messages those of a success.
	Errors   []Finding `json:"configurationValidationErrors"`
	Messages []Finding `json:"validationMessages"`

	ChangeSet    []Change  `json:"changeSet"`
	UpdateErrors []Refusal `json:"updateValidationErrors"`
}

func (a answer) verdict() Verdict {
	return Verdict{Accepted: a.Message == passed, Message: a.Message, Findings: append(a.Errors, a.Messages...)}
}
