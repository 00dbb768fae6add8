"""Which kinds `/why` reads: what its stages say, and what names the things that people ask about."""

from bot.why.explain import stages
from bot.why.subject import OWNERS

BASE = frozenset({"nodes", "pods", "namespaces", "events", "persistentvolumeclaims", "persistentvolumes"})
KINDS = BASE.union(*(stage.needs for stage in stages()), (table for table, _, _ in OWNERS))
