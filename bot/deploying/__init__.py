"""From a model's name to what is to be created: which variant, on which GPUs, how it is cut up, and why. Pure."""
