"""Inference engines by what they do: tokens, queues, caches, latency, errors. `bot.checks.engine_scene` has the facts.

silence.py   how long an engine with requests made no token
slower.py    latency against the engine's own past
relief.py    what helps an engine that has too much to do
"""
