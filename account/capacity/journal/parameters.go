package journal

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/ssm/types"

	"github.com/weft-hpc/weft/account/awserror"
	"github.com/weft-hpc/weft/account/capacity"
)

// Prefix of the parameters: /weft/purchases/project/stack/name/000001.
const Prefix = "/weft/purchases/"

// Actions lists the IAM actions that a journal in the Parameter Store needs, sorted.
func Actions() []string { return []string{"ssm:GetParametersByPath", "ssm:PutParameter"} }

// SSM is what is called of the Parameter Store.
type SSM interface {
	ssm.GetParametersByPathAPIClient
	PutParameter(context.Context, *ssm.PutParameterInput, ...func(*ssm.Options)) (*ssm.PutParameterOutput, error)
}

// Parameters is a journal in the Parameter Store of an account and Region: a parameter for each entry, made without
// overwriting, so that one of two writers of a number is refused (ParameterAlreadyExists).
type Parameters struct{ SSM SSM }

var _ capacity.Journal = Parameters{}

// Last reads the entries of a key, and gives the one with the highest number.
func (p Parameters) Last(ctx context.Context, key string) (capacity.Entry, error) {
	var last types.Parameter
	highest := 0
	pages := ssm.NewGetParametersByPathPaginator(p.SSM, &ssm.GetParametersByPathInput{Path: aws.String(Prefix + path(key))})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return capacity.Entry{}, fmt.Errorf("reading the parameters of %s: %w", Prefix+path(key), err)
		}
		for _, one := range page.Parameters {
			name := aws.ToString(one.Name)
			n, err := strconv.Atoi(name[strings.LastIndex(name, "/")+1:])
			if err != nil {
				return capacity.Entry{}, fmt.Errorf("reading %s: its name is no number: %w", name, err)
			}
			if n > highest {
				last, highest = one, n
			}
		}
	}
	if highest == 0 {
		return capacity.Entry{}, nil
	}
	return decode(aws.ToString(last.Name), []byte(aws.ToString(last.Value)))
}

// Append makes the parameter of an entry.
func (p Parameters) Append(ctx context.Context, key string, entry capacity.Entry) error {
	data, err := encode(entry)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%s%s/%06d", Prefix, path(key), entry.Sequence)
	_, err = p.SSM.PutParameter(ctx, &ssm.PutParameterInput{
		Name: aws.String(name), Value: aws.String(string(data)), Type: types.ParameterTypeString, Overwrite: aws.Bool(false),
		Description: aws.String("An entry of weft's purchase journal. It keeps a capacity block from being bought twice: leave it."),
	})
	switch {
	case awserror.IsExisting(err):
		return capacity.ErrTaken
	case err != nil:
		return fmt.Errorf("putting %s: %w", name, err)
	}
	return nil
}
