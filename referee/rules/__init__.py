"""The rule books, clause by clause; plain modules that load without NumPy and OpenCV."""
