from tests.local.cluster.controllers.helpers import a_cluster, a_node, a_spec


def a_job(**spec):
    template = {"metadata": {"labels": {"app": "job"}}, "spec": {**a_spec(), "restartPolicy": "Never"}}
    return {"metadata": {"name": "job"}, "spec": {"template": template, **spec}}


def running(cluster):
    return sorted(p["metadata"]["name"] for p in cluster.all("pods") if p["status"]["phase"] == "Running")


def status(cluster):
    return cluster.get("jobs", "job")["status"]


def verdict(cluster):
    return {c["type"]: c["reason"] for c in status(cluster).get("conditions", [])}


async def test_so_many_at_a_time_until_enough_have_succeeded():
    async with a_cluster(a_node()) as cluster:
        cluster.add("jobs", a_job(completions=3, parallelism=2))
        await cluster.until(lambda: len(running(cluster)) == 2)
        for name in running(cluster):
            cluster.finish(name)
        await cluster.until(lambda: len(running(cluster)) == 1)
        cluster.finish(running(cluster)[0])
        await cluster.until(lambda: "Complete" in verdict(cluster))
        assert status(cluster)["succeeded"] == 3
        assert "completionTime" in status(cluster)
        assert len(cluster.all("pods")) == 3


async def test_too_many_failures_end_it():
    async with a_cluster(a_node()) as cluster:
        cluster.add("jobs", a_job(backoffLimit=1))
        for failures in (1, 2):
            await cluster.until(lambda: running(cluster))
            cluster.finish(running(cluster)[0], "Failed")
            await cluster.until(lambda failures=failures: status(cluster).get("failed") == failures)
        await cluster.until(lambda: verdict(cluster).get("Failed") == "BackoffLimitExceeded")
        assert len(cluster.all("pods")) == 2


async def test_a_failure_is_tried_again_only_after_a_while():
    async with a_cluster(a_node(), speed=1) as cluster:
        cluster.add("jobs", a_job())
        await cluster.until(lambda: running(cluster))
        cluster.finish(running(cluster)[0], "Failed")
        await cluster.until(lambda: status(cluster).get("failed") == 1)
        assert len(cluster.all("pods")) == 1
        cluster.clock.set_speed(1000)
        await cluster.until(lambda: len(cluster.all("pods")) == 2)


async def test_indexed_pods_get_the_free_numbers():
    async with a_cluster(a_node()) as cluster:
        cluster.add("jobs", a_job(completions=2, parallelism=2, completionMode="Indexed"))
        await cluster.until(lambda: len(running(cluster)) == 2)
        key = "batch.kubernetes.io/job-completion-index"
        assert sorted(p["metadata"]["annotations"][key] for p in cluster.all("pods")) == ["0", "1"]


async def test_it_runs_no_longer_than_its_deadline():
    async with a_cluster(a_node(), speed=2000) as cluster:
        cluster.add("jobs", a_job(activeDeadlineSeconds=300))
        await cluster.until(lambda: verdict(cluster).get("Failed") == "DeadlineExceeded")
        await cluster.until(lambda: not cluster.all("pods"))


async def test_a_suspended_job_has_no_pods_and_a_finished_one_goes_after_its_time():
    async with a_cluster(a_node(), speed=2000) as cluster:
        cluster.add("jobs", a_job(suspend=True, ttlSecondsAfterFinished=60))
        await cluster.until(lambda: "Suspended" in verdict(cluster))
        assert not cluster.all("pods")
        cluster.change("jobs", "job", suspend=False)
        await cluster.until(lambda: running(cluster))
        cluster.finish(running(cluster)[0])
        await cluster.until(lambda: not cluster.all("jobs"))
        assert not cluster.all("pods")
