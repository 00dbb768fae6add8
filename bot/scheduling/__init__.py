"""Why a pod is not running: what it counts for, and who refuses it. Pure: data in, data out."""
