package main

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// verdict is everything about one pending pod, field by field as `gpubot verdicts` prints it.
type verdict struct {
	Pod            string              `json:"pod"`
	Gated          bool                `json:"gated"`
	Reason         string              `json:"reason"`
	Message        string              `json:"message"`
	PreEnqueue     *answer             `json:"preenqueue"`
	PreFilter      *answer             `json:"prefilter"`
	PreFilterAll   []answer            `json:"prefilter_all"`
	PreFilterNodes []string            `json:"prefilter_nodes"`
	Nodes          map[string][]answer `json:"nodes"`
	First          map[string]answer   `json:"first"`
	Feasible       []string            `json:"feasible"`
	Preemption     *preemption         `json:"preemption"`
}

// answer is a plugin's rejection.
type answer struct {
	Plugin  string   `json:"plugin"`
	Code    string   `json:"code"`
	Reasons []string `json:"reasons"`
}

// preemption names the pods that would be deleted: one that is being deleted already is not deleted again.
type preemption struct {
	Node    string   `json:"node"`
	Victims []string `json:"victims"`
}

func newVerdict(pod *v1.Pod) *verdict {
	return &verdict{
		Pod:          pod.Namespace + "/" + pod.Name,
		Gated:        len(pod.Spec.SchedulingGates) > 0,
		PreFilterAll: []answer{},
		Nodes:        map[string][]answer{},
		First:        map[string]answer{},
		Feasible:     []string{},
	}
}

// tell notes how filtering went on a node. An error on one that was left out is none, and is not noted.
func (v *verdict) tell(node string, status *fwk.Status, leftOut bool) bool {
	switch {
	case status.IsSuccess():
		v.Feasible = append(v.Feasible, node)
	case !leftOut || status.IsRejected():
		v.First[node] = newAnswer(status.Plugin(), status)
	default:
		return false
	}
	return true
}

// newAnswer sorts the reasons: some plugins walk a map and tell theirs in any order.
func newAnswer(plugin string, status *fwk.Status) answer {
	reasons := append([]string{}, status.Reasons()...)
	slices.Sort(reasons)
	return answer{plugin, status.Code().String(), reasons}
}

// ownAnswer is what the plugin said before the framework put its name in front of an error.
func ownAnswer(plugin string, status *fwk.Status) answer {
	own := newAnswer(plugin, status)
	if !status.IsRejected() {
		for i, reason := range own.Reasons {
			reason = strings.TrimPrefix(reason, `running "`+plugin+`" filter plugin: `)
			own.Reasons[i] = strings.TrimPrefix(reason, `running PreFilter plugin "`+plugin+`": `)
		}
	}
	return own
}
