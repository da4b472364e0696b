"""What happened: tracks, segmentation into shots, events of a shot. Facts only, no judgement."""
