"""Ensembles: several runs to one answer per question.

A ballot is one member's vote; a poll groups a question's ballots by value; a tally weighs them.
"""
