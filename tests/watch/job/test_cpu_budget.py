"""Pauses that keep the CPU of watching within its budget, and reads that come seldom."""

import pytest

from pipedoctor.watch.job.cpu_budget import CpuBudget, InitialPhase, PeriodicRead


class Simulation:
    """Turns that cost CPU, and the pauses between them; both clocks are simulated."""

    def __init__(self, share: float) -> None:
        self.cpu = self.now = 0.0
        self.turns = 0
        self.share = share
        self.budget = CpuBudget(lambda: self.cpu)

    def run(self, until: float, cost: float, rate: float) -> float:
        """The share of a CPU that it took, at no more than so many turns a second."""
        begin, spent, elapsed = self.now, self.cpu, 0.0
        while self.now < until:
            self.cpu += cost
            self.turns += 1
            pause = max(1 / rate, self.budget.compute_pause(self.share, elapsed))
            self.now += pause
            elapsed = pause
        return (self.cpu - spent) / (self.now - begin)


@pytest.mark.parametrize("cost", [0.00005, 0.0003, 0.002, 0.03])
def test_no_more_than_its_share_whatever_a_turn_costs(cost: float) -> None:
    simulation = Simulation(0.004)

    assert simulation.run(120, cost, rate=20) <= 0.0042


def test_cheap_turns_come_at_their_own_rate() -> None:
    simulation = Simulation(0.004)

    assert simulation.run(10, 0.0001, rate=20) == pytest.approx(0.002, rel=0.05)
    assert simulation.turns == pytest.approx(200, rel=0.05)


def test_what_was_spent_at_once_is_saved_again() -> None:
    simulation = Simulation(0.004)
    simulation.run(5, 0.0001, rate=20)
    simulation.cpu += 0.05  # somebody wrote a long line
    before = simulation.turns

    share = simulation.run(35, 0.0001, rate=20)

    assert (simulation.turns - before) > 30  # looks go on meanwhile
    assert share + 0.05 / 30 <= 0.0045


def test_turns_that_often_cost_much() -> None:
    """One such turn is no rule, every fourth is."""
    simulation = Simulation(0.004)
    for turn in range(400):
        simulation.cpu += 0.002 if turn % 4 == 0 else 0.0
        simulation.run(simulation.now + 1e-9, 0.0003, rate=20)

    assert simulation.cpu / simulation.now <= 0.0042


def test_a_read_that_costs_much_comes_seldom() -> None:
    cpu = [0.0]
    task = PeriodicRead(5.0, 0.001, lambda: cpu[0], first=3.0)

    def read() -> None:
        cpu[0] += 0.02

    assert not task.is_due(2.9)
    assert task.is_due(3.0)
    task.run(3.0, read)
    assert not task.is_due(22.9)
    assert task.is_due(23.0)
    task.schedule_soon(4.0, 1.0)  # 0.02 s at four times its share
    assert not task.is_due(8.9)
    assert task.is_due(9.0)


def test_a_read_that_costs_little_comes_at_its_interval() -> None:
    task = PeriodicRead(5.0, 0.001, lambda: 0.0)
    assert task.is_due(0.0)
    task.run(0.0, lambda: None)
    assert not task.is_due(4.9)
    task.schedule_soon(1.0, 1.0)
    assert task.is_due(2.0)


def test_many_looks_begin_when_training_does_and_again_at_its_first_batch() -> None:
    phase = InitialPhase()
    seen = {
        1.0: (False, False),  # it imports
        5.0: (True, False),
        7.0: (True, False),
        9.0: (True, False),  # it still gets ready
        20.0: (True, True),
        22.5: (True, True),
        24.0: (True, True),
    }
    running: list[bool] = []
    for now, (sampled, loaded) in seen.items():
        phase.observe(now, sampled=sampled, loaded=loaded)
        running.append(phase.is_running(now))

    assert running == [False, True, True, False, True, True, False]


def test_a_job_that_is_warm_has_them_once() -> None:
    phase = InitialPhase()
    phase.observe(0.0, sampled=True, loaded=False)
    phase.observe(1.0, sampled=True, loaded=True)

    assert phase.is_running(2.9)
    assert not phase.is_running(3.1)


def test_a_job_whose_first_batch_comes_late_has_most_of_them_then() -> None:
    phase = InitialPhase()
    phase.observe(0.0, sampled=True, loaded=False)
    phase.observe(2.0, sampled=True, loaded=True)

    assert phase.is_running(4.9)
    assert not phase.is_running(5.1)
