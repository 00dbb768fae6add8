"""Where something can be stuck, one file each, from the owner that makes a pod down to its last probe → STAGE."""
