"""A throw-away score, in one file: AIC with the correction for few rows (Hurvich and Tsai 1989).

It exists to prove the contract: nothing but `many` is written here, and a line in the register says the rest.
"""

import numpy as np

from arcwise.scores import Entry, Score


class CorrectedAic(Score):
    def __init__(self, fits, *, gamma=0.0):
        self.fits, self.nodes, self.rows = fits, fits.nodes, fits.rows
        self.equivalent, self.gamma = fits.params_by_size() is not None, gamma
        fits.n_params(0, ((),))  # models without a number of parameters are refused here

    def many(self, child, sets):
        k = self.fits.n_params(child, sets)
        charge = k + k * (k + 1) / np.maximum(self.rows - k - 1, 1)
        each = self.gamma * np.log(len(self.nodes))
        return self.fits.loglik(child, sets) - charge - each * np.array([len(s) for s in sets])


ENTRY = Entry(CorrectedAic)
