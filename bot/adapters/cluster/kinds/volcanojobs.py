"""Volcano's jobs: volcano-sh/apis:pkg/apis/batch."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind("volcanojobs", "Job", ("batch.volcano.sh/v1alpha1",), plural="jobs")
