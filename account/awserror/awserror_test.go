package awserror_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/account/awserror"
)

func api(code, message string) error {
	return &smithy.OperationError{
		ServiceID: "EC2", OperationName: "DescribeSubnets",
		Err: &smithy.GenericAPIError{Code: code, Message: message},
	}
}

func TestKinds(t *testing.T) {
	kinds := map[string]func(error) bool{
		"not found": awserror.IsNotFound, "malformed": awserror.IsMalformed, "unauthorized": awserror.IsUnauthorized,
		"unauthenticated": awserror.IsUnauthenticated, "throttled": awserror.IsThrottled, "over limit": awserror.IsOverLimit,
	}
	tests := map[string]struct {
		err  error
		kind string // empty: none
	}{
		"a reservation":          {api("InvalidCapacityReservationId.NotFound", ""), "not found"},
		"a VPC":                  {api("InvalidVpcID.NotFound", ""), "not found"},
		"a quota":                {api("NoSuchResourceException", ""), "not found"},
		"a stack":                {api("ValidationError", "Stack with id weft does not exist"), "not found"},
		"another fault":          {api("ValidationError", "1 validation error detected"), ""},
		"a form of id":           {api("InvalidCapacityReservationId.Malformed", ""), "malformed"},
		"an offering":            {api("InvalidCapacityBlockOfferingIdNotFound", ""), "not found"},
		"a form of offering id":  {api("InvalidCapacityBlockOfferingIdMalformed", ""), "malformed"},
		"more than the quota":    {api("CapacityBlockDescribeLimitExceeded", ""), "over limit"},
		"EC2 refuses":            {api("UnauthorizedOperation", ""), "unauthorized"},
		"a JSON service refuses": {api("AccessDeniedException", ""), "unauthorized"},
		"CloudFormation refuses": {api("AccessDenied", ""), "unauthorized"},
		"a session has ended":    {api("ExpiredToken", ""), "unauthenticated"},
		"an unknown key":         {api("AuthFailure", ""), "unauthenticated"},
		"too many calls":         {api("RequestLimitExceeded", ""), "throttled"},
		"another code":           {api("InternalError", ""), ""},
		"not of AWS":             {errors.New("no such host: NotFound"), ""},
		"none":                   {nil, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			wrapped := tt.err
			if wrapped != nil {
				wrapped = fmt.Errorf("describing subnets: %w", tt.err)
			}
			for kind, is := range kinds {
				require.Equal(t, kind == tt.kind, is(wrapped), kind)
			}
		})
	}
}

func TestCode(t *testing.T) {
	require.Equal(t, "ExpiredToken", awserror.Code(fmt.Errorf("reading: %w", api("ExpiredToken", "x"))))
	require.Empty(t, awserror.Code(errors.New("no credentials")))
	require.Empty(t, awserror.Code(nil))
}

func TestIsRefused(t *testing.T) {
	answer := func(status int, code string) error {
		return fmt.Errorf("purchasing: %w", &smithyhttp.ResponseError{
			Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status}}, Err: &smithy.GenericAPIError{Code: code},
		})
	}
	for name, tt := range map[string]struct {
		err  error
		want bool
	}{
		"the caller's fault":             {answer(400, "InvalidCapacityBlockOfferingIdNotFound"), true},
		"not allowed":                    {answer(403, "UnauthorizedOperation"), true},
		"too many calls":                 {answer(503, "RequestLimitExceeded"), true},
		"the server's fault":             {answer(500, "InternalError"), false},
		"unavailable":                    {answer(503, "Unavailable"), false},
		"a client's status without code": {answer(400, ""), false},
		"a proxy's page": {&smithyhttp.ResponseError{
			Response: &smithyhttp.Response{Response: &http.Response{StatusCode: 404}}, Err: errors.New("not XML"),
		}, false},
		"without a response, of the client": {&smithy.GenericAPIError{Code: "X", Fault: smithy.FaultClient}, true},
		"without a response, of the server": {&smithy.GenericAPIError{Code: "Throttling", Fault: smithy.FaultServer}, false},
		"without a response, of whom":       {&smithy.GenericAPIError{Code: "X"}, false},
		"a lost connection":                 {io.ErrUnexpectedEOF, false},
		"a timeout":                         {context.DeadlineExceeded, false},
		"none":                              {nil, false},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, tt.want, awserror.IsRefused(tt.err)) })
	}
	require.True(t, awserror.IsDryRun(api("DryRunOperation", "Request would have succeeded, but DryRun flag is set.")))
	require.False(t, awserror.IsDryRun(api("UnauthorizedOperation", "")))
}
