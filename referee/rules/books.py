"""The sections of the rule book that are covered, in its order; to add a game, list its `Book` here; plain module."""

from referee.rules.clauses_pool import GENERAL, NINE_BALL

BOOKS = (GENERAL, NINE_BALL)
