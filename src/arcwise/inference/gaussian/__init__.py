"""Linear-Gaussian networks: closed forms of their answers, and the matrices behind these."""

__all__: list[str] = []
