"""Who may: roles, identities in Kubernetes, approvals, and the guard rails that hold for everybody.

Everything here is a pure function of the rules (settings as plain data), a plan, a person as Slack knows them and the
time. Each answer is a `Decision` with its reason; a "no" names what is missing and who can grant it. What the cluster
itself allows a person is asked apart, of its own authorizer: `permissions` says what to ask.
"""
