package main

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
)

// Job is what svc says of the attempt.
type Job struct {
	RunID       string `json:"run_id"`
	StepID      string `json:"step_id"`
	Attempt     int    `json:"attempt"`
	PlanHash    string `json:"plan_hash"`
	InputDigest string `json:"input_digest"`
	// IdempotencyKey is the same for every attempt of the step: hand it to what you call.
	IdempotencyKey string `json:"idempotency_key"`
	Attest         bool   `json:"attest"`
}

// Signed is a result that its worker stands for.
type Signed struct {
	Result    string `json:"result"`
	Signature []byte `json:"signature"`
}

func digest(text string) string { return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))) }

// NewJob makes an activity of a function. Where the queue asks for it, the result is signed with key.
func NewJob[In, Out any](key ed25519.PrivateKey, work func(context.Context, In, Job) (Out, error)) any {
	return func(ctx context.Context, given json.RawMessage, job Job) (any, error) {
		var input In
		if !job.Attest {
			if err := json.Unmarshal(given, &input); err != nil {
				return nil, err
			}
			return work(ctx, input, job)
		}
		if key == nil {
			return nil, temporal.NewNonRetryableApplicationError("this worker has no key to sign with", "NoKey", nil)
		}
		var text string
		if err := json.Unmarshal(given, &text); err != nil || digest(text) != job.InputDigest {
			return nil, temporal.NewNonRetryableApplicationError("the input is not the one on record", "WrongInput", err)
		}
		if err := json.Unmarshal([]byte(text), &input); err != nil {
			return nil, err
		}
		output, err := work(ctx, input, job)
		if err != nil {
			return nil, err
		}
		result, err := json.Marshal(output)
		if err != nil {
			return nil, err
		}
		name := activity.GetInfo(ctx).ActivityType.Name
		lines := []string{"svc.remote-job.v1", job.RunID, job.StepID, fmt.Sprint(job.Attempt), name, job.PlanHash, job.InputDigest, digest(string(result))}
		return Signed{string(result), ed25519.Sign(key, []byte(strings.Join(lines, "\n")))}, nil
	}
}
