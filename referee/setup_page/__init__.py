"""The calibration page: a picture of the table, what was found in it, four corners to drag, the verdict, save."""
