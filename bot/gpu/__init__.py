"""GPUs as Kubernetes shows them: products, pools, sharing, accounting. Pure: data in, data out."""
