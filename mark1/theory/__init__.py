"""The mathematics of the perceptron: arrays in, arrays out, no files, no pictures.

Notation: samples x_i in R^d, labels y_i = +1 or -1, value vector w, offset b, i = 1..n. On the machine x_i is the
activity of the A-units for card i and w the values of one R-unit's potentiometers.
"""
