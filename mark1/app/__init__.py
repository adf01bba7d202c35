"""The composition root: the only room that knows all rooms. One module per subcommand of the mark1 command."""
