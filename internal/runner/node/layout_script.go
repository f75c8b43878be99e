package node

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"regreen/internal/plain"
	"regreen/internal/proc"
	"regreen/internal/runner"
)

// scriptTimeout bounds a helper script: loading a project's configuration
// takes seconds at most.
const scriptTimeout = 60 * time.Second

// WriteScript puts an embedded script into the session's scratch folder and
// gives its absolute path.
func WriteScript(env runner.Env, name string, src []byte) (string, error) {
	abs := filepath.Join(env.Scratch, name)
	if have, err := plain.ReadFile(abs); err == nil && string(have) == string(src) {
		return abs, nil
	}
	if err := plain.WriteIn(env.Scratch, abs, src); err != nil {
		return "", fmt.Errorf("write %s: %w", name, err)
	}
	return abs, nil
}

// Ask runs a script of ours with the project's node, in the project's folder
// and environment, and decodes the JSON that it writes to the file that its
// first argument names. What it prints is not read. The answer is remembered.
func Ask(ctx context.Context, env runner.Env, p runner.Project, name string, src []byte, args []string, into any) error {
	question := append([]string{name, string(src)}, args...)
	got, err := Remember(env, p, question, func() ([]byte, error) { return run(ctx, env, p, name, src, args) })
	if err != nil {
		return err
	}
	if err := json.Unmarshal(got, into); err != nil {
		return fmt.Errorf("read the answer of %s: %w", name, err)
	}
	return nil
}

func run(ctx context.Context, env runner.Env, p runner.Project, name string, src []byte, args []string) ([]byte, error) {
	script, err := WriteScript(env, name, src)
	if err != nil {
		return nil, err
	}
	cmd, err := Command(env, p)
	if err != nil {
		return nil, err
	}
	answer, err := os.CreateTemp(env.Scratch, "answer-*.json")
	if err != nil {
		return nil, fmt.Errorf("make a file for %s: %w", name, err)
	}
	defer func() { _ = os.Remove(answer.Name()) }()
	if err := answer.Close(); err != nil {
		return nil, fmt.Errorf("make a file for %s: %w", name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, scriptTimeout)
	defer cancel()
	out := proc.NewTail(8 << 10)
	exit, err := env.Exec.Run(ctx, proc.Cmd{
		Path: cmd[0], Args: append([]string{script, answer.Name()}, args...), Dir: Dir(env, p),
		Env: Environ(env, p, nil), Stdout: out, Stderr: out,
	})
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", name, err)
	}
	got, err := plain.ReadFile(answer.Name())
	if err != nil || !json.Valid(got) {
		return nil, fmt.Errorf("%s gave no answer (exit code %d): %s", name, exit.Code, LastLines(out.String(), 6))
	}
	return got, nil
}
