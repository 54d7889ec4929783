// Package standin stands in for Pulumi's AWS provider where there is neither that provider nor an AWS account.
//
// It checks inputs against the schema of the AWS SDK, keeps what it "creates" in a world that outlives it, answers data
// sources from data, refuses what AWS refuses (as far as clusters with EFA are concerned), and fails where it is told
// to. It knows nothing of gRPC: offline/standin/provider gives it to the engine, inside a test or as a plugin process.
//
// What a type of resource looks like (ids, outputs, which change replaces it) is data, in types.yaml. What AWS refuses
// is a list of small named checks, in the refusal_ files.
package standin
