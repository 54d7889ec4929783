package awserror_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/aws/smithy-go"
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
		"unauthenticated": awserror.IsUnauthenticated, "throttled": awserror.IsThrottled,
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
