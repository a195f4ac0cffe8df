"""What settings were predicted to give before they were first measured."""

import math
from dataclasses import dataclass, field

from pipedoctor.facts import Pipeline, Setting
from pipedoctor.tune.model.predict import Prediction, ThroughputModel, is_same_load


@dataclass(frozen=True, kw_only=True)
class FirstPrediction:
    """A prediction, and at that moment the one of the setting that the user has."""

    prediction: Prediction
    start_prediction: Prediction

    @property
    def gain(self) -> float:
        """How many times as fast as the current setting."""
        return self.prediction.samples_per_second / self.start_prediction.samples_per_second

    @property
    def gain_interval(self) -> tuple[float, float]:
        """Between what the gain is to be expected in 9 of 10 cases."""
        both = (self.prediction, self.start_prediction)
        off = math.hypot(*(math.log(one.high / one.low) / 2 for one in both))
        return self.gain * math.exp(-off), self.gain * math.exp(off)


@dataclass
class FirstPredictions:
    """The first predictions of all settings that were measured since."""

    predictions: list[FirstPrediction] = field(default_factory=list[FirstPrediction])

    def record(self, pipeline: Pipeline, setting: Setting) -> None:
        """Predict what is to be measured for the first time, if anything is known."""
        tried = any(is_same_load(trial.setting, setting) for trial in pipeline.trials)
        if tried or self.find(setting) or not any(t.costs for t in pipeline.trials):
            return
        model = ThroughputModel(pipeline=pipeline)
        prediction = FirstPrediction(
            prediction=model.predict(setting),
            start_prediction=model.predict(pipeline.start),
        )
        self.predictions.append(prediction)

    def find(self, setting: Setting) -> FirstPrediction | None:
        """The first prediction of a setting; None: there was nothing to go by."""
        matching = (
            one for one in self.predictions if is_same_load(one.prediction.setting, setting)
        )
        return next(matching, None)
