package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
)

// awsConfig loads the configuration of AWS's tools: environment, profile, instance. An empty Region or profile is theirs.
// Where they name no retry mode it is the SDK's adaptive one, which slows down when AWS throttles.
func awsConfig(ctx context.Context, region, profile string) (aws.Config, error) {
	var options []func(*awsconfig.LoadOptions) error
	if region != "" {
		options = append(options, awsconfig.WithRegion(region))
	}
	if profile != "" {
		options = append(options, awsconfig.WithSharedConfigProfile(profile))
	}
	cfg, err := awsconfig.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return aws.Config{}, fmt.Errorf("loading the AWS configuration: %w", err)
	}
	if cfg.RetryMode == "" {
		cfg.RetryMode = aws.RetryModeAdaptive
	}
	return cfg, nil
}

// regionalConfig is awsConfig with a Region.
func regionalConfig(ctx context.Context, region, profile string) (aws.Config, error) {
	cfg, err := awsConfig(ctx, region, profile)
	if err == nil && cfg.Region == "" {
		return aws.Config{}, errors.New("a Region is needed: --region, AWS_REGION or the profile's")
	}
	return cfg, err
}
