package main

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	core "k8s.io/kubernetes/pkg/apis/core"

	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
)

var strict = serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict).UniversalDeserializer()

// store returns the objects as an API server would give them out: with defaults and what admission adds, checked by the
// API server's own validation once for the creation of each, and once for the status that is written afterwards.
func store(ctx context.Context, raws []json.RawMessage) ([]runtime.Object, error) {
	objects := make([]runtime.Object, len(raws))
	for i, raw := range raws {
		obj, _, err := strict.Decode(raw, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", raw, err)
		}
		legacyscheme.Scheme.Default(obj)
		objects[i] = obj
	}
	client, factory := still(objects)
	rules, admission := rulesOf(client), admissionOf(client, factory)
	ctx = request.WithUser(ctx, &user.DefaultInfo{Name: "judge"}) // somebody who may do everything
	ctx = request.WithRequestInfo(ctx, &request.RequestInfo{IsResourceRequest: true})
	for i, obj := range objects {
		stored, err := storeOne(ctx, obj, rules, admission)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", raws[i], err)
		}
		objects[i] = stored
	}
	return objects, nil
}

func storeOne(ctx context.Context, obj runtime.Object, rules map[string]rule, admission []admit) (runtime.Object, error) {
	kind := obj.GetObjectKind().GroupVersionKind()
	rule, known := rules[kind.Kind]
	if !known {
		return nil, fmt.Errorf("no rules for a %s", kind.Kind)
	}
	given, err := legacyscheme.Scheme.ConvertToVersion(obj, kind.GroupKind().WithVersion(runtime.APIVersionInternal).GroupVersion())
	if err != nil {
		return nil, err
	}
	if pod, ok := given.(*core.Pod); ok {
		for _, one := range admission {
			if err := one(ctx, pod); err != nil {
				return nil, err
			}
		}
	}
	stored, flaws := created(ctx, given, rule)
	if len(flaws) > 0 {
		return nil, flaws.ToAggregate()
	}
	return legacyscheme.Scheme.ConvertToVersion(stored, kind.GroupVersion())
}

// created follows an object through its creation, which drops a status, and the write of its status afterwards.
func created(ctx context.Context, given runtime.Object, rule rule) (runtime.Object, field.ErrorList) {
	ctx = request.WithNamespace(ctx, metaOf(given).GetNamespace())
	metaOf(given).SetResourceVersion("1")
	fresh := given.DeepCopyObject()
	rule.create.PrepareForCreate(ctx, fresh)
	flaws := rule.create.Validate(ctx, fresh)
	if rule.status == nil || len(flaws) > 0 {
		return fresh, flaws
	}
	full := given.DeepCopyObject()
	metaOf(full).SetGeneration(metaOf(fresh).GetGeneration())
	rule.status.PrepareForUpdate(ctx, full, fresh)
	metaOf(full).SetDeletionTimestamp(metaOf(given).GetDeletionTimestamp()) // writes of a pod's status leave it out
	return full, rule.status.ValidateUpdate(ctx, full, fresh)
}

// metaOf panics for what is no API object, which no decoder returns.
func metaOf(obj runtime.Object) metav1.Object {
	found, err := meta.Accessor(obj)
	if err != nil {
		panic(err)
	}
	return found
}
