"""What it means: rules, rulings, the match as a log, the drivers and the command line."""
