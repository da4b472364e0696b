"""The sections of the rule book that are covered, in its order; to add a game, list its `Book` here; plain module."""

from referee.rules.clauses_pool import GENERAL, NINE_BALL
from referee.rules.clauses_pyramid import CLASSIC_PYRAMID, COMBINED_PYRAMID, DYNAMIC_PYRAMID, FREE_PYRAMID, PYRAMID
from referee.rules.clauses_straight_pool import STRAIGHT_POOL

BOOKS = (GENERAL, NINE_BALL, STRAIGHT_POOL, PYRAMID, FREE_PYRAMID, COMBINED_PYRAMID, DYNAMIC_PYRAMID, CLASSIC_PYRAMID)
