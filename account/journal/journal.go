// Package journal keeps the journals of purchases in an account's Parameter Store.
//
// A journal must be there before money moves, outlive the process and the machine that write it, and let one of two
// writers through. A parameter that is made without overwriting does all three, in the account and Region of the block
// itself: whoever may buy in an account finds what others have begun there, from any machine and without a state file.
package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/ssm/types"

	"github.com/weft-hpc/weft/account/capacity"
)

// Root is the folder of all journals. Below it stand project, stack, name and number of an entry:
// /weft/purchases/llama/prod/llama-train/00000001.
const Root = "/weft/purchases"

// API is what a journal calls of Systems Manager.
type API interface {
	PutParameter(context.Context, *ssm.PutParameterInput, ...func(*ssm.Options)) (*ssm.PutParameterOutput, error)
	ssm.GetParametersByPathAPIClient
}

// Journal is the Parameter Store of one account and Region.
type Journal struct{ api API }

var _ capacity.Journal = Journal{}

// New makes a journal of the Parameter Store that the client reaches.
func New(api API) Journal { return Journal{api} }

// Last is the latest entry of a key. Entries that can't be read are an error: nothing may be bought on a guess.
func (j Journal) Last(ctx context.Context, key string) (capacity.Entry, error) {
	var last capacity.Entry
	pages := ssm.NewGetParametersByPathPaginator(j.api, &ssm.GetParametersByPathInput{Path: aws.String(Folder(key))})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return capacity.Entry{}, fmt.Errorf("reading the parameters below %s: %w", Folder(key), err)
		}
		for i := range page.Parameters {
			entry, err := read(&page.Parameters[i])
			if err != nil {
				return capacity.Entry{}, err
			}
			if entry.Sequence > last.Sequence {
				last = entry
			}
		}
	}
	return last, nil
}

func read(p *types.Parameter) (capacity.Entry, error) {
	name := aws.ToString(p.Name)
	var entry capacity.Entry
	if err := json.Unmarshal([]byte(aws.ToString(p.Value)), &entry); err != nil {
		return capacity.Entry{}, fmt.Errorf("reading parameter %s, an entry of a purchase journal: %w", name, err)
	}
	if number, err := strconv.Atoi(path.Base(name)); err != nil || number != entry.Sequence || entry.Kind == "" {
		return capacity.Entry{}, fmt.Errorf("parameter %s is no entry of a purchase journal: its number is %d and its kind %q", name, entry.Sequence, entry.Kind)
	}
	return entry, nil
}

// Append adds an entry. The SDK may send the request again: a parameter is never overwritten, so that the second one is
// refused as another writer's would be. Whoever gets ErrTaken reads the entry and finds its own there.
func (j Journal) Append(ctx context.Context, key string, entry capacity.Entry) error {
	text, err := json.Marshal(entry)
	if err != nil {
		return fmt.Errorf("writing an entry of the purchase journal: %w", err)
	}
	name := fmt.Sprintf("%s/%08d", Folder(key), entry.Sequence)
	_, err = j.api.PutParameter(ctx, &ssm.PutParameterInput{
		Name: aws.String(name), Value: aws.String(string(text)), Type: types.ParameterTypeString, Tier: types.ParameterTierStandard,
		Overwrite: aws.Bool(false), Description: aws.String("weft: what became of a purchase of capacity. Keep it as long as the block lasts"),
	})
	var taken *types.ParameterAlreadyExists
	switch {
	case errors.As(err, &taken):
		return fmt.Errorf("writing parameter %s: %w", name, capacity.ErrTaken)
	case err != nil:
		return fmt.Errorf("writing parameter %s: %w", name, err)
	}
	return nil
}

// Folder holds the entries of a key. Names of parameters have fewer characters than names of resources, and fewer levels:
// the key's third part keeps its slashes out of the way, and every character that a parameter can't have becomes its code
// in hexadecimal, after an underscore.
func Folder(key string) string {
	parts := strings.SplitN(key, "/", 3)
	for i, part := range parts {
		parts[i] = escape(part)
	}
	return Root + "/" + strings.Join(parts, "/")
}

func escape(part string) string {
	var out strings.Builder
	for _, b := range []byte(part) {
		if plain(b) {
			out.WriteByte(b)
		} else {
			fmt.Fprintf(&out, "_%02x", b)
		}
	}
	return out.String()
}

func plain(b byte) bool {
	switch {
	case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9', b == '-', b == '.':
		return true
	}
	return false
}
