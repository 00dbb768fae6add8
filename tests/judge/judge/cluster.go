package main

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultbinder"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
)

// cluster is one snapshot under a scheduler that was made as kube-scheduler makes its own.
//
// Beside the default profile it has one for each plugin that filters nodes, with nothing else in it: what such a profile
// says is what the plugin says when it is asked alone, nominated pods and all.
type cluster struct {
	scheduler *scheduler.Scheduler
	profile   framework.Framework
	alone     []framework.Framework // in the order of the default profile
	nodes     []fwk.NodeInfo
	evicted   []string // namespace/name, since somebody last looked
}

// filterPlugin is a plugin that turns pods down, on each node or (before any node is looked at) altogether.
type filterPlugin struct {
	name              string
	prefilter, filter bool
}

// defaultFilters are those of the default profile in its own order: PreFilter goes first, Filter decides.
func defaultFilters() ([]filterPlugin, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c, err := newCluster(ctx, nil, nil)
	if err != nil {
		return nil, err
	}
	enabled := c.profile.ListPlugins()
	var found []filterPlugin
	at := map[string]int{}
	for _, one := range enabled.Filter.Enabled {
		at[one.Name] = len(found)
		found = append(found, filterPlugin{name: one.Name, filter: true})
	}
	for _, one := range enabled.PreFilter.Enabled {
		if place, known := at[one.Name]; known {
			found[place].prefilter = true
		} else {
			return nil, fmt.Errorf("%s has a PreFilter and no Filter", one.Name)
		}
	}
	return found, nil
}

func newCluster(ctx context.Context, objects []runtime.Object, filters []filterPlugin) (*cluster, error) {
	c := &cluster{}
	client, factory := still(objects)
	client.PrependReactor("delete", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		c.evicted = append(c.evicted, action.GetNamespace()+"/"+action.(clienttesting.DeleteAction).GetName())
		return true, nil, nil
	})
	profiles, err := profilesFor(filters)
	if err != nil {
		return nil, err
	}
	silent := func(string) events.EventRecorderLogger { return &events.FakeRecorder{} }
	c.scheduler, err = scheduler.New(ctx, client, factory, nil, silent, scheduler.WithProfiles(profiles...))
	if err != nil {
		return nil, err
	}
	c.profile = c.scheduler.Profiles[v1.DefaultSchedulerName]
	for _, one := range filters {
		c.alone = append(c.alone, c.scheduler.Profiles[one.name])
	}
	snapshot, ok := c.profile.SnapshotSharedLister().(*cache.Snapshot)
	if !ok {
		return nil, fmt.Errorf("the scheduler's snapshot is a %T", c.profile.SnapshotSharedLister())
	}
	if err := c.scheduler.Cache.UpdateSnapshot(klog.FromContext(ctx), snapshot); err != nil {
		return nil, err
	}
	c.nodes, err = snapshot.NodeInfos().List()
	return c, err
}

func profilesFor(filters []filterPlugin) ([]config.KubeSchedulerProfile, error) {
	var versioned configv1.KubeSchedulerConfiguration
	scheme.Scheme.Default(&versioned)
	all := config.KubeSchedulerConfiguration{}
	if err := scheme.Scheme.Convert(&versioned, &all, nil); err != nil {
		return nil, err
	}
	for _, one := range filters {
		plugins := &config.Plugins{QueueSort: only(queuesort.Name, true), Bind: only(defaultbinder.Name, true)} // no profile is without
		plugins.PreFilter, plugins.Filter = only(one.name, one.prefilter), only(one.name, one.filter)
		profile := config.KubeSchedulerProfile{SchedulerName: one.name, Plugins: plugins}
		for _, arguments := range all.Profiles[0].PluginConfig {
			if arguments.Name == one.name {
				profile.PluginConfig = []config.PluginConfig{arguments}
			}
		}
		all.Profiles = append(all.Profiles, profile)
	}
	return all.Profiles, nil
}

func only(name string, wanted bool) config.PluginSet {
	if !wanted {
		return config.PluginSet{}
	}
	return config.PluginSet{Enabled: []config.Plugin{{Name: name}}}
}
