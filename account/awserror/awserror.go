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

// IsNotFound reports that what the call names does not exist. EC2 ends such codes with .NotFound, its code for an offering with
// NotFound alone, the JSON services have names of their own.
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

var notFound = []string{
	"InvalidCapacityBlockOfferingIdNotFound", "NoSuchResourceException", "ResourceNotFoundException", "NoSuchEntity", "ParameterNotFound",
}

// IsExisting reports that the call would make what exists already.
func IsExisting(err error) bool { return Code(err) == "ParameterAlreadyExists" }

// IsMalformed reports that an id in the call has a form that no id has, so that nothing can have it.
func IsMalformed(err error) bool {
	code := Code(err)
	return strings.HasSuffix(code, ".Malformed") || code == "InvalidCapacityBlockOfferingIdMalformed"
}

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

// IsOverLimit reports that the call asks for more than the account's quota lets it ask for.
func IsOverLimit(err error) bool { return Code(err) == "CapacityBlockDescribeLimitExceeded" }

// IsDryRun reports that AWS would let the caller make the call, had it not been asked to only say so.
func IsDryRun(err error) bool { return Code(err) == "DryRunOperation" }

// IsRefused reports that AWS answered, and that it did not do what the call asks: an error of the caller, or too many calls.
// It is false for everything after which the call may have been carried out all the same: no answer, an answer that
// can't be read, a fault of the server.
func IsRefused(err error) bool {
	api, ok := apiError(err)
	if !ok || api.ErrorCode() == "" || api.ErrorFault() == smithy.FaultServer {
		return false
	}
	if IsThrottled(err) {
		return true // EC2 answers it with status 503
	}
	var response interface{ HTTPStatusCode() int }
	if errors.As(err, &response) {
		return response.HTTPStatusCode() >= 400 && response.HTTPStatusCode() < 500
	}
	return api.ErrorFault() == smithy.FaultClient
}

func apiError(err error) (smithy.APIError, bool) {
	var api smithy.APIError
	ok := errors.As(err, &api)
	return api, ok
}
