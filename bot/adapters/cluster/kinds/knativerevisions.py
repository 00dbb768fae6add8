"""Knative's revisions: knative/serving:pkg/apis/serving."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind("knativerevisions", "Revision", ("serving.knative.dev/v1",), plural="revisions")
