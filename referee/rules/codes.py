"""Closed lists of rules.md section 0: foul codes, options, and the fields of each event; plain module."""

PLAYERS = ("A", "B")
POCKETS = ("HL", "HR", "SL", "SR", "FL", "FR")
CUSHIONS = ("head", "foot", "left", "right")

EVENT_FIELDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "cue_contact": ((), ("second",)),
    "ball_ball": (("a", "b"), ("simultaneous_group",)),
    "ball_cushion": (("ball", "cushion"), ("from_frozen", "jaw", "simultaneous_group")),
    "pocketed": (("ball", "pocket"), ()),
    "pocket_rebound": (("ball", "pocket"), ()),
    "off_table": (("ball",), ("where",)),
    "rail_top": (("ball",), ()),
    "centre_line": (("ball", "dir"), ()),
    "head_line": (("ball", "dir"), ()),
    "touch": (("ball", "by", "actor"), ("stroke", "deliberate", "ball_moving_to")),
    "placement": (("ball", "pos"), ()),
    "spontaneous_drop": (("ball", "pocket"), ("during_shot", "would_be_hit", "rest_s")),
    "clock": (("event",), ()),
    "official": (("fact",), ("ball", "restorable")),
    "decision": (("by", "option"), ("acknowledged",)),
    "stop": ((), ("positions",)),
}
"""Event type to its required and its optional fields, `t` and `type` aside (section 0.1)."""

FIELD_VALUES: dict[str, tuple[str, ...]] = {
    "pocket": POCKETS,
    "jaw": POCKETS,
    "cushion": CUSHIONS,
    "where": ("floor", "rail_top", "object_return"),
    "dir": ("to_head", "to_foot"),
    "by": ("cue_ball_in_hand", "bridge", "clothing", "cue_shaft", "cue_stick", "hand", "hand_in_pocket", "sleeve", "other"),
    "actor": ("A", "B", "outsider"),
    "stroke": ("plain", "jump", "curve", "masse"),
    "ball_moving_to": ("pocket", "rack_area"),
    "event": ("start", "warning_10s", "expired"),
    "fact": ("ball_moved", "balls_moving", "deliberate_interference", "outside_interference", "placement_zone_request", "no_foot"),
}
"""Fields with a closed list. `by` and `option` of a decision have their own: a player, and `OPTION_CODES`."""

EXTRA_FACTS = ("push", "tip_only", "illegal_jump", "responsibility", "unsportsmanlike", "stalemate")
"""Facts that an official may state in a match log beyond the closed list of scenario files (section 0.2, last line)."""

OPTION_CODES = (
    "ACCEPT_TABLE",
    "ACCEPT_TABLE_NO_PUSH_OUT",
    "BIH_ANYWHERE",
    "BIH_HOUSE",
    "BIH_KITCHEN",
    "BIH_TEMP_HOUSE",
    "CHOOSE_PENALTY_BALL",
    "CHOOSE_REMOVED_BALL",
    "CHOOSE_SPOT_BALL",
    "DECLARE_PUSH_OUT",
    "EXTENSION",
    "PASS_BACK",
    "PLAY_POSITION",
    "RERACK_OFFENDER_BREAKS",
    "RERACK_SELF_BREAKS",
    "RESTORE_BALL",
    "RETURN_SHOT",
    "RETURN_SHOT_PUSH_OUT_ALLOWED",
    "SPOT_NEAREST",
)
"""Section 0.3; `CHOOSE_SPOT_BALL:n` names the ball."""

EXPECT_FIELDS = (
    "foul",
    "foul_codes",
    "points_delta",
    "turn",
    "cue_next",
    "spotted",
    "options",
    "rack_over",
    "match_over",
    "winner",
    "next_breaker",
    "spotted_pos",
    "spotted_slots",
    "stays_down",
    "restored",
    "replay",
    "rerack",
    "fifteenth",
    "cue_if_accept",
    "fouls_after",
    "scores_after",
    "push_out_available",
    "next_phase",
    "warn",
    "near_rail_after",
    "declaration_rejected",
    "placement_rejected",
    "extensions_used_after",
    "offender",
    "options_for",
    "score_kept",
    "removal_forfeited",
    "coloured_returned_for_white",
)
"""Fields of an "expect" object."""
