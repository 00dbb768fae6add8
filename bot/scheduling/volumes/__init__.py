"""What the volume filters share: claims of a pod, matching volumes, in-tree disks that moved to drivers."""
