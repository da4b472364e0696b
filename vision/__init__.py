"""What is seen: capture, rectification, ball detection, identity by appearance."""
