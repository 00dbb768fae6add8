"""The objects of a deployment, one file each → MANIFEST; together they are what is created, shown and exported."""
