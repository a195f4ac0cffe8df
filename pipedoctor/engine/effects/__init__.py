"""What a remedy would change of the facts, read off the commands that it prints."""

from pipedoctor.engine.effects.predict import predict_facts

__all__ = ["predict_facts"]
