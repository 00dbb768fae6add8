package main

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/registry/rest"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	core "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
	"k8s.io/kubernetes/pkg/registry/core/node"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolume"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	podrules "k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/node/runtimeclass"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/kubernetes/pkg/registry/resource/deviceclass"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
	"k8s.io/kubernetes/pkg/registry/resource/resourceslice"
	"k8s.io/kubernetes/pkg/registry/scheduling/priorityclass"
	"k8s.io/kubernetes/pkg/registry/storage/csidriver"
	"k8s.io/kubernetes/pkg/registry/storage/csinode"
	"k8s.io/kubernetes/pkg/registry/storage/csistoragecapacity"
	"k8s.io/kubernetes/pkg/registry/storage/storageclass"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattachment"
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"
	"k8s.io/kubernetes/plugin/pkg/admission/priority"
)

// rule is what an API server does to objects of a kind when they are made and, where there is one, to their status.
type rule struct {
	create rest.RESTCreateStrategy
	status rest.RESTUpdateStrategy
}

func rulesOf(client kubernetes.Interface) map[string]rule {
	claims := resourceclaim.NewStrategy(client.CoreV1().Namespaces(), authorizerfactory.NewAlwaysAllowAuthorizer())
	return map[string]rule{
		"CSIDriver":             {csidriver.Strategy, nil},
		"CSINode":               {csinode.Strategy, nil},
		"CSIStorageCapacity":    {csistoragecapacity.Strategy, nil},
		"DeviceClass":           {deviceclass.Strategy, nil},
		"Namespace":             {namespace.Strategy, namespace.StatusStrategy},
		"Node":                  {node.Strategy, node.StatusStrategy},
		"PersistentVolume":      {persistentvolume.Strategy, persistentvolume.StatusStrategy},
		"PersistentVolumeClaim": {persistentvolumeclaim.Strategy, persistentvolumeclaim.StatusStrategy},
		"Pod":                   {podrules.Strategy, podrules.StatusStrategy},
		"PodDisruptionBudget":   {poddisruptionbudget.Strategy, poddisruptionbudget.StatusStrategy},
		"PriorityClass":         {priorityclass.Strategy, nil},
		"ResourceClaim":         {claims, resourceclaim.NewStatusStrategy(claims)},
		"ResourceSlice":         {resourceslice.Strategy, nil},
		"RuntimeClass":          {runtimeclass.Strategy, nil},
		"StorageClass":          {storageclass.Strategy, nil},
		"VolumeAttachment":      {volumeattachment.Strategy, volumeattachment.StatusStrategy},
	}
}

// admit lets one admission plugin change a new pod.
type admit func(context.Context, *core.Pod) error

// admissionOf returns those plugins that are on by default and add what a scheduler reads: the priority of the pod's
// class, and tolerations of nodes that have just failed.
func admissionOf(client kubernetes.Interface, factory informers.SharedInformerFactory) []admit {
	classes := priority.NewPlugin()
	classes.SetExternalKubeClientSet(client)
	classes.SetExternalKubeInformerFactory(factory)
	tolerations := defaulttolerationseconds.NewDefaultTolerationSeconds()
	tolerations.InspectFeatureGates(utilfeature.DefaultFeatureGate) // its seconds are read here
	var all []admit
	for _, plugin := range []admission.MutationInterface{classes, tolerations} {
		all = append(all, func(ctx context.Context, pod *core.Pod) error {
			kind, resource := core.Kind("Pod").WithVersion("v1"), core.Resource("pods").WithVersion("v1")
			create := admission.NewAttributesRecord(pod, nil, kind, pod.Namespace, pod.Name, resource, "", admission.Create,
				&metav1.CreateOptions{}, false, nil)
			return plugin.Admit(ctx, create, nil)
		})
	}
	return all
}
