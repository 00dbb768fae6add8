"""Volcano's pod groups: volcano-sh/apis:pkg/apis/scheduling."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind("podgroups", "PodGroup", ("scheduling.volcano.sh/v1beta1",))
