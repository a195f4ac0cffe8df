"""Texts that people paste in tickets -> facts: collect_env and its descendants."""

from pipedoctor.text.ticket import NOT_SAID, NoTicket, Ticket, read

__all__ = ["NOT_SAID", "NoTicket", "Ticket", "read"]
