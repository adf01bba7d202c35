"""The panel: pygame lives here. A client of the machine: commands in, facts and state out."""
