package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

const gatedMessage = "Scheduling is blocked due to non-empty scheduling gates" // apicalls and queue write it for gated pods

// judge answers for one pod, alone, against the cluster as it stands.
func (c *cluster) judge(ctx context.Context, pod *v1.Pod) (*verdict, error) {
	v := newVerdict(pod)
	for _, plugin := range c.profile.PreEnqueuePlugins() {
		if status := plugin.PreEnqueue(ctx, pod); !status.IsSuccess() {
			told := newAnswer(plugin.Name(), status)
			v.PreEnqueue = &told
			break
		}
	}
	c.askEach(ctx, pod, v)
	c.filter(ctx, pod, v)
	switch {
	case v.Gated:
		v.Reason, v.Message = v1.PodReasonSchedulingGated, gatedMessage
	case v.PreEnqueue == nil: // else the scheduler never tries, and writes no condition
		return v, c.decide(ctx, pod, v)
	}
	return v, nil
}

// askEach puts the question to each plugin by itself, whatever the others said.
func (c *cluster) askEach(ctx context.Context, pod *v1.Pod, v *verdict) {
	for _, node := range c.nodes {
		v.Nodes[node.Node().Name] = []answer{}
	}
	for _, plugin := range c.alone {
		state := framework.NewCycleState()
		result, status, _ := plugin.RunPreFilterPlugins(ctx, state, pod)
		if !status.IsSuccess() && result.AllNodes() { // one that leaves no node over does not reject by itself
			v.PreFilterAll = append(v.PreFilterAll, ownAnswer(plugin.ProfileName(), status))
			continue
		}
		for _, node := range c.nodes {
			status := plugin.RunFilterPluginsWithNominatedPods(ctx, state, pod, node)
			if !status.IsSuccess() {
				name := node.Node().Name
				v.Nodes[name] = append(v.Nodes[name], ownAnswer(plugin.ProfileName(), status))
			}
		}
	}
}

// filter goes through a cycle as far as its filters, on all nodes: the scheduler itself keeps quiet about nodes that fail
// while another one passes.
func (c *cluster) filter(ctx context.Context, pod *v1.Pod, v *verdict) {
	state := framework.NewCycleState()
	result, status, narrowing := c.profile.RunPreFilterPlugins(ctx, state, pod)
	narrowers := strings.Join(sets.List(narrowing), ",")
	if !result.AllNodes() {
		v.PreFilterNodes = sets.List(result.NodeNames)
	}
	if !status.IsSuccess() {
		ended := ownAnswer(status.Plugin(), status)
		if ended.Plugin == "" { // together they leave no node over
			ended.Plugin = narrowers
		}
		v.PreFilter = &ended
		return
	}
	var leftOut []string
	for _, node := range c.nodes {
		name := node.Node().Name
		out := !result.AllNodes() && !result.NodeNames.Has(name)
		told := false
		if !out || name == pod.Status.NominatedNodeName { // that one is tried whatever PreFilter says
			status := c.profile.RunFilterPluginsWithNominatedPods(ctx, state, pod, node)
			told = v.tell(name, status, out)
			if name == pod.Status.NominatedNodeName && status.IsRejected() {
				narrowing.Insert(status.Plugin()) // named below with those who left the other nodes out
			}
		}
		if out && !told {
			leftOut = append(leftOut, name)
		}
	}
	slices.Sort(v.Feasible)
	text := fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", sets.List(narrowing))
	for _, name := range leftOut {
		v.First[name] = newAnswer(narrowers, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, text))
	}
}

// decide lets the scheduler have its whole cycle, preemption included, and takes down the condition that it would write.
func (c *cluster) decide(ctx context.Context, pod *v1.Pod, v *verdict) error {
	info, err := framework.NewPodInfo(pod)
	if err != nil {
		return err
	}
	state := framework.NewCycleState()
	chosen, err := c.scheduler.SchedulePod(ctx, c.profile, state, &framework.QueuedPodInfo{PodInfo: info})
	var unfit *framework.FitError
	switch {
	case err == nil && slices.Contains(v.Feasible, chosen.SuggestedHost):
		return nil
	case err == nil || errors.As(err, &unfit) && len(v.Feasible) > 0:
		return fmt.Errorf("the cycle ends with %q and %v, its filters with %v", chosen.SuggestedHost, err, v.Feasible)
	case unfit != nil:
		c.evicted = nil
		nominated, status := c.profile.RunPostFilterPlugins(ctx, state, pod, unfit.Diagnosis.NodeToStatus)
		unfit.Diagnosis.PostFilterMsg = status.Message()
		if status.IsSuccess() && nominated != nil && nominated.NominatingInfo != nil {
			slices.Sort(c.evicted)
			v.Preemption = &preemption{nominated.NominatedNodeName, append([]string{}, c.evicted...)}
		}
		v.Reason, v.Message = v1.PodReasonUnschedulable, unfit.Error()
	case errors.Is(err, scheduler.ErrNoNodesAvailable):
		v.Reason, v.Message = v1.PodReasonUnschedulable, err.Error()
	default:
		v.Reason, v.Message = v1.PodReasonSchedulerError, firstError(v, err)
	}
	return nil
}

// firstError: of several nodes' errors the scheduler reports any one, so here it is that of the first node by name.
func firstError(v *verdict, reported error) string {
	names := sets.List(sets.KeySet(v.First))
	for _, name := range names {
		if one := v.First[name]; one.Code == fwk.Error.String() {
			return strings.Join(one.Reasons, ", ")
		}
	}
	return reported.Error()
}
