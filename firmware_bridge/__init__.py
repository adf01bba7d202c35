"""The bridge to a physical rig: frames, messages, link, port, mirror."""
