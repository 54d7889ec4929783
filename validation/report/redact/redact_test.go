package redact_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/validation/report/redact"
)

// The account, the keys and the tokens are made up; those of AWS are the ones of its documentation.
const (
	account = "123456789012"
	keyID   = "AKIAIOSFODNN7EXAMPLE"
	key     = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
)

func TestTextTakesOut(t *testing.T) {
	t.Parallel()
	hf := "hf_" + strings.Repeat("aB3", 10)
	tests := map[string]struct{ text, want string }{
		"account":            {account, "[account]"},
		"account in words":   {"account " + account + ".", "account [account]."},
		"account in ARN":     {"arn:aws:iam::" + account + ":role/weft", "arn:aws:iam::[account]:role/weft"},
		"other partition":    {"arn:aws-us-gov:s3:us-gov-west-1:" + account + ":x", "arn:aws-us-gov:s3:us-gov-west-1:[account]:x"},
		"size-like in ARN":   {"arn:aws:iam::137438953472:root", "arn:aws:iam::[account]:root"},
		"account in ECR":     {account + ".dkr.ecr.us-east-1.amazonaws.com/train:1", "[account].dkr.ecr.us-east-1.amazonaws.com/train:1"},
		"account in bucket":  {"s3://weft-" + account + "-us-east-1/x", "s3://weft-[account]-us-east-1/x"},
		"account after word": {"logs" + account, "logs[account]"},
		"account_underscore": {"acct_" + account + "_x", "acct_[account]_x"},
		"console's account":  {"1234-5678-9012", "[account]"},
		"key id":             {"id " + keyID, "id [secret]"},
		"session key id":     {"ASIAIOSFODNN7EXAMPLE", "[secret]"},
		"key alone":          {"seen " + key + " there", "seen [secret] there"},
		"named":              {"AWS_SECRET_ACCESS_KEY=" + key, "AWS_SECRET_ACCESS_KEY=[secret]"},
		"named in JSON":      {`{"password": "hunter 2", "a": 1}`, `{"password": [secret], "a": 1}`},
		"named in quotes":    {`export HF_TOKEN='abc' x`, `export HF_TOKEN=[secret] x`},
		"named in YAML":      {"api_key: abcd", "api_key: [secret]"},
		"echoed by NCCL":     {"MY_TOKEN set by environment to abc.", "MY_TOKEN set by environment to [secret]"},
		"two of them":        {"token=aa, secret=bb", "token=[secret], secret=[secret]"},
		"number as password": {"password=1234", "password=[secret]"},
		"hugging face":       {hf, "[secret]"},
		"github":             {"ghp_" + strings.Repeat("a1", 18), "[secret]"},
		"bearer":             {"Authorization: Bearer abc.def-ghi", "Authorization: Bearer [secret]"},
		"JWT":                {"eyJhbGciOiJI.eyJzdWIiOiIx.c2ln", "[secret]"},
		"URL's user":         {"https://me:pw@host/x", "https://[secret]@host/x"},
		"presigned":          {"x?X-Amz-Credential=AKIA%2F1&X-Amz-Signature=0abc&y", "x?X-Amz-Credential=[secret]&X-Amz-Signature=[secret]&y"},
		"private key":        {"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "-----BEGIN RSA PRIVATE KEY-----[secret]-----END RSA PRIVATE KEY-----"},
		"cut private key":    {"-----BEGIN PRIVATE KEY-----MIIEabc", "-----BEGIN PRIVATE KEY-----[secret]"},
		"session token":      {"FwoGZXIvYXdzE" + strings.Repeat("aB3dE6gH9", 12), "[secret]"},
		"home":               {"/home/alice/run.log", "/home/[user]/run.log"},
		"home of a Mac":      {"at /Users/alice", "at /Users/[user]"},
		"home on Windows":    {`C:\Users\alice\x`, `C:\Users\[user]\x`},
		"email":              {"by alice.b@example.com now", "by [email] now"},
		"public address":     {"from 54.240.1.2:22", "from [address]:22"},
		"public name":        {"ec2-54-240-1-2.compute-1.amazonaws.com", "ec2-[address].compute-1.amazonaws.com"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, redact.Text(test.text))
			require.Equal(t, test.want, redact.Text(test.want), "redacting twice changes nothing")
		})
	}
}

func TestTextKeeps(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"",
		"i-0123456789012abcd", "cr-01234567890123456", "ami-0a1b2c3d4e5f60718",
		"ip-10-0-1-17:4711:4790 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/Libfabric/0/GDRDMA",
		"comm 0x558123456789 rank 0 nranks 16 commId 0x123456789012",
		" 137438953472   34359738368     float     sum      -1   367234  374.26  701.74      0", // 128 GiB
		"0.123456789012", "1764547200123456789", "20261130123456",
		"num_tokens=4096, hidden=7168, num_topk=8", "max tokens: 4096", "token: 4096",
		"10.0.1.17", "172.31.4.5", "192.168.1.1", "127.0.0.1", "100.64.3.4", "169.254.169.254",
		"nccl-2.27.7.1", "version 9.8.7.6", "v13.0.2.14", "libfabric 2.7.0amzn2.0", "580.95.05", "2.7.0.1-amzn",
		"sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		"4f1c2b3a4d5e6f708192a3b4c5d6e7f8091a2b3c",
		"/home/ubuntu/weft/run.log", "/home/ec2-user", "/home/$USER/x",
		"/opt/amazon/ofi-nccl/lib/x86_64-linux-gnu/libnccl-net-ofi.so",
		"Amazon EC2 User Guide, Capacity Blocks for ML", "aws/aws-ofi-nccl#803",
		"2026-11-30T12:00:00Z", "0000:53:00.0", "1234-5678-9012-3456",
	} {
		require.Equal(t, text, redact.Text(text))
	}
}

// Whatever stands around them, the account, the key and the token do not come out, and a second pass finds nothing more.
func TestTextHoldsAnywhere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		around := rapid.StringMatching(`[ ,;()\[\]{}"'<>a-zA-Z0-9=:./\n-]{0,24}`)
		separator := rapid.SampledFrom([]string{" ", "\n", `"`, "(", ", "})
		secret := rapid.SampledFrom([]string{account, keyID, "hf_" + strings.Repeat("aB3", 10)}).Draw(t, "secret")
		text := around.Draw(t, "before") + separator.Draw(t, "left") + secret + separator.Draw(t, "right") + around.Draw(t, "after")
		got := redact.Text(text)
		if strings.Contains(got, secret) {
			t.Fatalf("%q stays in %q", secret, got)
		}
		if again := redact.Text(got); again != got {
			t.Fatalf("%q becomes %q", got, again)
		}
	})
}

func FuzzText(f *testing.F) {
	f.Add("arn:aws:iam::" + account + ":role/x AWS_SECRET_ACCESS_KEY=" + key)
	f.Add("https://a:b@c password='x /home/me 54.1.2.3 a@b.cd -----BEGIN PRIVATE KEY-----")
	f.Fuzz(func(t *testing.T, text string) {
		once := redact.Text(text)
		require.Equal(t, once, redact.Text(once))
	})
}

func BenchmarkText(b *testing.B) {
	line := "ip-10-0-1-17:4711:4790 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/Libfabric/0/GDRDMA"
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		_ = redact.Text(line)
	}
}
