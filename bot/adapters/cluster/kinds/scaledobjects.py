"""KEDA's scalers: kedacore/keda:apis/keda."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind("scaledobjects", "ScaledObject", ("keda.sh/v1alpha1",))
