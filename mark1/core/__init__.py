"""The machine: retina, plugboard, association units, potentiometers, responses. No screen, port, file or clock."""
