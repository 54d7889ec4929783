package capacity_test

import (
	"bytes"
	"cmp"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag"
)

// Over the real SDK and a real connection: whatever becomes of the answer, one request is sent.
func TestOneRequestIsSent(t *testing.T) {
	endings := map[string]http.HandlerFunc{
		"the connection breaks before an answer": func(w http.ResponseWriter, _ *http.Request) { hijack(t, w, "") },
		"the connection breaks within an answer": func(w http.ResponseWriter, _ *http.Request) {
			hijack(t, w, "HTTP/1.1 200 OK\r\nContent-Length: 500\r\nContent-Type: text/xml\r\n\r\n<PurchaseCapacityBlockResponse>")
		},
		"a fault of the server": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, fault("InternalError"))
		},
		"unavailable": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, fault("Unavailable"))
		},
		"a proxy's page": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
			_, _ = io.WriteString(w, "<html>Bad Gateway</html>")
		},
		"an answer of another form": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "<html>Welcome to the hotel</html>")
		},
		"no answer in time": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	}
	patience := map[string]time.Duration{"no answer in time": 3 * time.Second} // long enough for a request to be sent on a busy machine
	for name, end := range endings {
		t.Run(name, func(t *testing.T) {
			var sent atomic.Int32
			c := newCloud(t)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				require.NoError(t, err)
				form, err := url.ParseQuery(string(body))
				require.NoError(t, err)
				require.Equal(t, "PurchaseCapacityBlock", form.Get("Action"))
				require.Equal(t, "capacity-reservation", form.Get("TagSpecification.1.ResourceType"))
				require.Contains(t, string(body), "weft%3Aoffering", "the tags are in the purchase itself")
				sent.Add(1)
				end(w, r)
			}))
			defer server.Close()
			p := purchase(t, c)
			b := buyer(c, newMemory())
			b.EC2 = half{c, ec2.New(ec2.Options{
				Region: "us-east-2", BaseEndpoint: aws.String(server.URL), RetryMaxAttempts: 5, RetryMode: aws.RetryModeAdaptive,
				Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
					return aws.Credentials{AccessKeyID: "any", SecretAccessKey: "any"}, nil
				}),
			})}
			b.Timing.Answer = cmp.Or(patience[name], time.Minute)
			r, err := b.Buy(t.Context(), p)
			require.NoError(t, err)
			require.Equal(t, diag.BlockPurchase, r.Findings[0].Rule, "%v", r.Findings)
			require.Equal(t, int32(1), sent.Load())
		})
	}
}

// half reads of the simulated EC2, and buys over the wire.
type half struct {
	*cloud
	wire *ec2.Client
}

func (h half) PurchaseCapacityBlock(ctx context.Context, in *ec2.PurchaseCapacityBlockInput, o ...func(*ec2.Options)) (*ec2.PurchaseCapacityBlockOutput, error) {
	return h.wire.PurchaseCapacityBlock(ctx, in, o...)
}

func fault(code string) string {
	return "<Response><Errors><Error><Code>" + code + "</Code><Message>simulated</Message></Error></Errors><RequestID>1</RequestID></Response>"
}

func hijack(t *testing.T, w http.ResponseWriter, text string) {
	t.Helper()
	connection, buffer, err := w.(http.Hijacker).Hijack()
	require.NoError(t, err)
	_, _ = buffer.WriteString(text)
	_ = buffer.Flush()
	_ = connection.Close()
}

// EC2's purchase takes no token by which it would know a repeated request. If it ever does, the guard should use it.
func TestPurchaseHasNoClientToken(t *testing.T) {
	for _, input := range []any{ec2.PurchaseCapacityBlockInput{}, ec2.PurchaseCapacityBlockExtensionInput{}} {
		for _, field := range reflect.VisibleFields(reflect.TypeOf(input)) {
			require.NotContains(t, strings.ToLower(field.Name), "token")
		}
	}
}

// Money moves in one place: the calls that buy are named in one file, and that file's functions are called by the guard's
// closures alone.
func TestMoneyMovesInOnePlace(t *testing.T) {
	root := os.DirFS("../..")
	where := map[string][]string{}
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != ".":
			return fs.SkipDir
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			if names := purchasesIn(t, root, path); len(names) > 0 {
				where[path] = names
			}
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, map[string][]string{
		"account/capacity/purchase.go": {"PurchaseCapacityBlock", "PurchaseCapacityBlock", "PurchaseCapacityBlockExtension"},
	}, where, "the purchase, its dry run, and the extension's purchase")
}

// purchasesIn lists the purchases that a file calls.
func purchasesIn(t *testing.T, root fs.FS, path string) (out []string) {
	t.Helper()
	text, err := fs.ReadFile(root, path)
	require.NoError(t, err)
	if !bytes.Contains(text, []byte("PurchaseCapacityBlock")) {
		return nil
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	require.NoError(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if s, ok := call.Fun.(*ast.SelectorExpr); ok && strings.HasPrefix(s.Sel.Name, "PurchaseCapacityBlock") {
				out = append(out, s.Sel.Name)
			}
		}
		return true
	})
	return out
}
