// Judge tells what kube-scheduler's own plugins say of the pending pods of a cluster.
//
// Each line of standard input is one cluster, {"seed": ..., "objects": [...]}, the objects as somebody creates them. The
// line that answers it has the objects as an API server stores them, and a verdict on each pending pod:
// {"seed": ..., "objects": [...], "verdicts": [...]}. An object that an API server would refuse ends the program.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
)

const longestLine = 1 << 30

type question struct {
	Seed    json.RawMessage   `json:"seed"`
	Objects []json.RawMessage `json:"objects"`
}

type reply struct {
	Seed     json.RawMessage  `json:"seed"`
	Objects  []runtime.Object `json:"objects"`
	Verdicts []*verdict       `json:"verdicts"`
}

func main() {
	klog.SetLogger(logr.Discard())
	if err := answerAll(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(1)
	}
}

func answerAll(input io.Reader, output io.Writer) error {
	// So that evictions are asked for before PostFilter returns. What is decided is the same.
	if err := utilfeature.DefaultMutableFeatureGate.Set("SchedulerAsyncPreemption=false"); err != nil {
		return err
	}
	filters, err := defaultFilters()
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(input)
	lines.Buffer(make([]byte, 1<<20), longestLine)
	encoder := json.NewEncoder(output)
	encoder.SetEscapeHTML(false)
	for lines.Scan() {
		given := question{}
		if err := json.Unmarshal(lines.Bytes(), &given); err != nil {
			return err
		}
		answer, err := answerOne(given, filters)
		if err != nil {
			return fmt.Errorf("seed %s: %w", given.Seed, err)
		}
		if err := encoder.Encode(answer); err != nil {
			return err
		}
	}
	return lines.Err()
}

func answerOne(given question, filters []filterPlugin) (*reply, error) {
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
	defer cancel()
	objects, err := store(ctx, given.Objects)
	if err != nil {
		return nil, err
	}
	c, err := newCluster(ctx, objects, filters)
	if err != nil {
		return nil, err
	}
	answer := &reply{given.Seed, objects, []*verdict{}}
	for _, pod := range pending(objects) {
		v, err := c.judge(ctx, pod)
		if err != nil {
			return nil, fmt.Errorf("pod %s/%s: %w", pod.Namespace, pod.Name, err)
		}
		answer.Verdicts = append(answer.Verdicts, v)
	}
	return answer, nil
}
