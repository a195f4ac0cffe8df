"""What settings were predicted to give before they were first measured."""

import math
from dataclasses import dataclass, field

from pipedoctor.facts import Pipeline, Setting
from pipedoctor.tune.predict import Model, Prediction, alike


@dataclass(frozen=True, kw_only=True)
class Foretold:
    """A prediction, and at that moment the one of the setting that the user has."""

    guess: Prediction
    start: Prediction

    @property
    def gain(self) -> float:
        """How many times as fast as the current setting."""
        return self.guess.samples_per_second / self.start.samples_per_second

    @property
    def between(self) -> tuple[float, float]:
        """Between what the gain is to be expected in 9 of 10 cases."""
        both = (self.guess, self.start)
        off = math.hypot(*(math.log(one.high / one.low) / 2 for one in both))
        return self.gain * math.exp(-off), self.gain * math.exp(off)


@dataclass
class Foresight:
    """The first predictions of all settings that were measured since."""

    found: list[Foretold] = field(default_factory=list[Foretold])

    def note(self, seen: Pipeline, setting: Setting) -> None:
        """Predict what is to be measured for the first time, if anything is known."""
        tried = any(alike(trial.setting, setting) for trial in seen.trials)
        if tried or self.of(setting) or not any(t.costs for t in seen.trials):
            return
        model = Model(seen=seen)
        found = Foretold(guess=model.predict(setting), start=model.predict(seen.start))
        self.found.append(found)

    def of(self, setting: Setting) -> Foretold | None:
        """The first prediction of a setting; None: there was nothing to go by."""
        found = (one for one in self.found if alike(one.guess.setting, setting))
        return next(found, None)
