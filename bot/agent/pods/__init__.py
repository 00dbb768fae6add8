"""Which pod has which GPU: what the kubelet gave out, and whose a process on a GPU is."""
