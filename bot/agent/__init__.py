"""The node agent: one small process on each GPU node that reads the driver and serves what it says.

A parent serves and watches; one child (`bot.agent.worker`) makes every NVML call, so that what hangs can be killed.
"""
