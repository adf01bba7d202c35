def rehearse(works: object, presentations: float, engine: str) -> None:
    raise NotImplementedError
