"""Videos the project makes itself, and the generator that makes any number more."""
