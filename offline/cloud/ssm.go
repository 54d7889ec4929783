package cloud

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/ssm/types"
)

// PutParameter makes a parameter, once.
func (c *Cloud) PutParameter(_ context.Context, in *ssm.PutParameterInput, _ ...func(*ssm.Options)) (*ssm.PutParameterOutput, error) {
	if err := c.enter("ssm:PutParameter"); err != nil {
		return nil, err
	}
	what := fate(c.Entry)
	if taken := c.put(aws.ToString(in.Name), aws.ToString(in.Value), what.Done); taken {
		return nil, &types.ParameterAlreadyExists{}
	}
	c.step("entered")
	if what.Answer != nil {
		return nil, what.Answer
	}
	return &ssm.PutParameterOutput{}, nil
}

func (c *Cloud) put(name, value string, done bool) (taken bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.ContainsFunc(c.parameters, func(p parameter) bool { return p.name == name }) {
		return true
	}
	if done {
		c.parameters = append(c.parameters, parameter{name, value})
	}
	return false
}

// GetParametersByPath lists the parameters of a folder.
func (c *Cloud) GetParametersByPath(_ context.Context, in *ssm.GetParametersByPathInput, _ ...func(*ssm.Options)) (*ssm.GetParametersByPathOutput, error) {
	if err := c.enter("ssm:GetParametersByPath"); err != nil {
		return nil, err
	}
	stale := c.Stale != nil && c.Stale()
	c.mu.Lock()
	defer c.mu.Unlock()
	out := &ssm.GetParametersByPathOutput{}
	for _, p := range c.parameters {
		if rest, below := strings.CutPrefix(p.name, strings.TrimSuffix(aws.ToString(in.Path), "/")+"/"); below && !strings.Contains(rest, "/") {
			out.Parameters = append(out.Parameters, types.Parameter{Name: aws.String(p.name), Value: aws.String(p.value)})
		}
	}
	if n := len(out.Parameters); stale && n > 0 {
		out.Parameters = out.Parameters[:n-1]
	}
	return out, nil
}
