"""kube-scheduler's own plugins as the judge of ours: random clusters, both opinions, field by field."""
