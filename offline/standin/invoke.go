package standin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// Invoke answers a data source from the data. No answer is an error that says what to add.
func (s *StandIn) Invoke(ctx context.Context, token string, args property.Map) (result property.Map, findings []Finding, err error) {
	defer func() { s.logCall(Call{Op: opInvoke, Type: token}, err) }()
	if err := s.failAt(ctx, opInvoke, token, "", false); err != nil {
		return property.Map{}, nil, err
	}
	args = Plain(args)
	if s.schema != nil {
		object, ok := s.schema.Functions[token]
		if !ok {
			reason := fmt.Sprintf("version %s of the AWS SDK has no data source %s", s.schema.Version, token)
			return property.Map{}, []Finding{{Reason: reason}}, nil
		}
		if findings := s.judge("", object.Inputs, args); len(findings) > 0 {
			return property.Map{}, findings, nil
		}
	}
	given := encode(args)
	for _, answer := range s.data.Invokes {
		if answer.Token == token && given.Has(answer.When) {
			result, err := answered(answer, given)
			return result, nil, err
		}
	}
	return property.Map{}, nil, unanswered(token, given)
}

// answered gives the result of a data source: the answer, and the arguments that it repeats.
func answered(answer Invoke, args Document) (property.Map, error) {
	if answer.Error != "" {
		return property.Map{}, errors.New(answer.Error)
	}
	result := Document{"id": "stand-in"}
	for _, part := range []Document{args, answer.Return} {
		for name, value := range part {
			result[name] = value
		}
	}
	return result.decode()
}

func unanswered(token string, args Document) error {
	text, err := json.Marshal(args)
	if err != nil {
		return fmt.Errorf("reading the arguments of %s: %w", token, err)
	}
	return fmt.Errorf("the stand-in has no answer for %s with %s: add one to the invokes of its data", token, text)
}
