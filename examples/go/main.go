package main

import (
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"log"
	"os"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
)

type Names struct {
	Names []string `json:"names"`
}

type Greetings struct {
	Greetings      []string `json:"greetings"`
	IdempotencyKey string   `json:"idempotency_key"`
}

func greet(ctx context.Context, input Names, job Job) (Greetings, error) {
	done := Greetings{IdempotencyKey: job.IdempotencyKey}
	for _, name := range input.Names {
		// tells how far it is, and hears of a cancellation
		activity.RecordHeartbeat(ctx, map[string]int{"done": len(done.Greetings), "of": len(input.Names)})
		if ctx.Err() != nil {
			return done, ctx.Err()
		}
		done.Greetings = append(done.Greetings, "Hello "+name)
	}
	return done, nil
}

func env(name, usual string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return usual
}

func readKey(file string) ed25519.PrivateKey {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	block, _ := pem.Decode(text)
	if block == nil {
		log.Fatalf("%s holds no PEM", file)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		log.Fatal(err)
	}
	return key.(ed25519.PrivateKey)
}

func main() {
	c, err := client.Dial(client.Options{HostPort: env("TEMPORAL_ADDRESS", "127.0.0.1:7233"), Namespace: env("TEMPORAL_NAMESPACE", "default")})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	w := worker.New(c, env("TASK_QUEUE", "hello"), worker.Options{})
	greeter := NewJob(readKey(env("SVC_JOB_KEY", "worker.pem")), greet)
	w.RegisterActivityWithOptions(greeter, activity.RegisterOptions{Name: "greet"})
	if err := w.Run(worker.InterruptCh()); err != nil {
		log.Fatal(err)
	}
}
