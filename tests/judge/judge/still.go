package main

import (
	"reflect"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
)

// readKinds are those that the scheduler and admission look up.
var readKinds = []runtime.Object{
	&appsv1.ReplicaSet{}, &appsv1.StatefulSet{}, &policyv1.PodDisruptionBudget{}, &resourcev1.DeviceClass{},
	&resourcev1.ResourceClaim{}, &resourcev1.ResourceSlice{}, &schedulingv1.PriorityClass{}, &storagev1.CSIDriver{},
	&storagev1.CSINode{}, &storagev1.CSIStorageCapacity{}, &storagev1.StorageClass{}, &storagev1.VolumeAttachment{},
	&v1.Namespace{}, &v1.Node{}, &v1.PersistentVolume{}, &v1.PersistentVolumeClaim{}, &v1.Pod{},
	&v1.ReplicationController{}, &v1.Service{},
}

// still returns a cluster that never changes: a client that heeds no write, and informers that know all objects from the
// start and never run. So nothing has to be waited for.
func still(objects []runtime.Object) (*fake.Clientset, informers.SharedInformerFactory) {
	client := &fake.Clientset{}
	factory := informers.NewSharedInformerFactory(client, 0)
	byKind := map[reflect.Type]*stillInformer{}
	for _, kind := range readKinds {
		factory.InformerFor(kind, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer {
			byNamespace := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
			one := &stillInformer{SharedIndexInformer: cache.NewSharedIndexInformer(&cache.ListWatch{}, kind, 0, byNamespace)}
			byKind[reflect.TypeOf(kind)] = one
			return one
		})
	}
	for _, obj := range objects {
		if informer, known := byKind[reflect.TypeOf(obj)]; known && !finished(obj) {
			_ = informer.GetStore().Add(obj) // fails for what is no API object
			informer.objects = append(informer.objects, obj)
		}
	}
	client.AddReactor("*", "*", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, nil })
	client.PrependReactor("get", "namespaces", func(action clienttesting.Action) (bool, runtime.Object, error) {
		name := action.(clienttesting.GetAction).GetName()
		found, err := factory.Core().V1().Namespaces().Lister().Get(name)
		return true, found, err
	})
	return client, factory
}

// finished pods are none of the scheduler's business: its informer leaves them out.
func finished(obj runtime.Object) bool {
	pod, ok := obj.(*v1.Pod)
	return ok && (pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed)
}

func pending(objects []runtime.Object) []*v1.Pod {
	var found []*v1.Pod
	for _, obj := range objects {
		pod, ok := obj.(*v1.Pod)
		if ok && pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil && !finished(pod) {
			found = append(found, pod)
		}
	}
	return found
}

// stillInformer tells each new handler about all objects at once, in the order of the input.
type stillInformer struct {
	cache.SharedIndexInformer
	objects []runtime.Object
}

func (i *stillInformer) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, _ cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	for _, obj := range i.objects {
		handler.OnAdd(obj, true)
	}
	return settled{}, nil
}

func (i *stillInformer) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandlerWithOptions(handler, cache.HandlerOptions{})
}

func (i *stillInformer) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, _ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandlerWithOptions(handler, cache.HandlerOptions{})
}

func (i *stillInformer) HasSynced() bool                     { return true }
func (i *stillInformer) HasSyncedChecker() cache.DoneChecker { return settled{} }

// settled says that there is nothing to wait for.
type settled struct{}

var over = func() chan struct{} { done := make(chan struct{}); close(done); return done }()

func (settled) HasSynced() bool                     { return true }
func (settled) HasSyncedChecker() cache.DoneChecker { return settled{} }
func (settled) Name() string                        { return "still" }
func (settled) Done() <-chan struct{}               { return over }
