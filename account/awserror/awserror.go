// Package awserror is the one place that knows AWS's error codes.
package awserror

import (
	"errors"
	"slices"
	"strings"

	"github.com/aws/smithy-go"
)

// Code is the error code of AWS in err, empty when AWS did not answer with one: no credentials, no network.
func Code(err error) string {
	if api, ok := apiError(err); ok {
		return api.ErrorCode()
	}
	return ""
}

// IsNotFound reports that what the call names does not exist. EC2 ends such codes with .NotFound, the JSON services
// have names of their own.
func IsNotFound(err error) bool {
	api, ok := apiError(err)
	if !ok {
		return false
	}
	code := api.ErrorCode()
	if strings.HasSuffix(code, ".NotFound") || slices.Contains(notFound, code) {
		return true
	}
	// CloudFormation answers a stack that does not exist with a general code; only the text tells.
	return code == "ValidationError" && strings.Contains(api.ErrorMessage(), "does not exist")
}

var notFound = []string{"NoSuchResourceException", "ResourceNotFoundException", "NoSuchEntity", "ParameterNotFound"}

// IsMalformed reports that an id in the call has a form that no id has, so that nothing can have it.
func IsMalformed(err error) bool { return strings.HasSuffix(Code(err), ".Malformed") }

// IsUnauthorized reports that AWS knows the caller and does not let it make the call.
func IsUnauthorized(err error) bool { return slices.Contains(unauthorized, Code(err)) }

var unauthorized = []string{"UnauthorizedOperation", "AccessDenied", "AccessDeniedException", "UnauthorizedException"}

// IsUnauthenticated reports that AWS does not know the caller: its credentials are wrong, or have ended.
func IsUnauthenticated(err error) bool { return slices.Contains(unauthenticated, Code(err)) }

var unauthenticated = []string{
	"AuthFailure", "ExpiredToken", "ExpiredTokenException", "InvalidClientTokenId", "RequestExpired",
	"SignatureDoesNotMatch", "UnrecognizedClientException",
}

// IsThrottled reports that AWS refused a call because there were too many. The SDK retries those itself; one that
// comes out of it has used up its attempts.
func IsThrottled(err error) bool { return slices.Contains(throttled, Code(err)) }

var throttled = []string{
	"RequestLimitExceeded", "Throttling", "ThrottlingException", "ThrottledException", "TooManyRequestsException",
}

func apiError(err error) (smithy.APIError, bool) {
	var api smithy.APIError
	ok := errors.As(err, &api)
	return api, ok
}
