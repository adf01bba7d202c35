"""Pictures in, light out: Pillow lives here. Any picture becomes light on the retina; card sets."""
