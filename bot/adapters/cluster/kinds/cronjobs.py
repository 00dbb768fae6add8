"""CronJobs: kubernetes/api:batch/v1/types.go."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind("cronjobs", "CronJob", ("batch/v1",))
