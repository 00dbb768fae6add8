"""Why the API server refused a pod, and what helps: one kind of refusal per file.

quota.py         ResourceQuota, LimitRange
security.py      Pod Security
webhook.py       webhooks that do not answer, or say no
other.py         names that do not exist, fields that are wrong, and the rest
"""
