"""
The kinds of events that code is searched for: one class a kind, with an example of code.

A detector records an instance; a check asks for the events of a class and reads its
fields. In JSON an event has the name of its kind and its details by name.
"""
