"""Rehearsals of a restore, of a fail-over and of an upgrade, each with check-ins at full rate and a journal of what was acknowledged."""
