"""Mark I: a simulator of Rosenblatt's Mark I Perceptron (1960)."""

__version__ = "0.1.0"
