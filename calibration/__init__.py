"""Where things are: equipment, table geometry, camera model, automatic calibration."""
