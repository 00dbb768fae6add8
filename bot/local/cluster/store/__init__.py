"""Objects of the local cluster: versions, patches, apply, owners, deletion; see `Store`."""

from bot.local.cluster.store.errors import ApiError
from bot.local.cluster.store.history import Change, ChangeType
from bot.local.cluster.store.owners import ObjectRef
from bot.local.cluster.store.resources import RESOURCES, Resource
from bot.local.cluster.store.store import Store

__all__ = ["RESOURCES", "ApiError", "Change", "ChangeType", "ObjectRef", "Resource", "Store"]
