"""The mathematics of the perceptron: arrays in, arrays out, no files, no pictures."""
