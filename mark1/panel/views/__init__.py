"""The parts of the panel, each drawn from the scene into its own box."""
