"""Five minutes with Arcwise, on the housing values of Boston.

    python examples/first_look.py [FOLDER]

Read and audit a table, learn a network, print its edges, query it, simulate an intervention, predict
and impute missing values, save and load.
"""

import numpy as np
from places import output_folder, print_table, pyplot, save_figure, write_csv

import arcwise as aw

folder = output_folder()

# A table: aw.read("boston.csv") for a file, aw.table(frame) for a data frame, or one that is shipped.
table = aw.example("boston")
print(table.audit())

# A network: Gaussian, BIC, and with 14 variables the best of all graphs.
train, test = aw.split(table, 0.8, np.random.default_rng(1))
net = aw.learn(train, seed=1)
print(f"\n{net}")

# The graph around MEDV, the median value of homes in 1000 dollars.
print("\nparents of MEDV:", *net.parents("MEDV"))
print("its Markov blanket:", *net.blanket("MEDV"))
print("not adjacent to INDUS, and independent of it given:", *net.separator("MEDV", "INDUS"))
print(net.local("MEDV"))

# Queries: an observation is informative about causes and effects, an intervention about effects only. An
# answer to do= is as causal as the arcs are. The data do not determine the direction of arcs drawn as --.
print(f"\n{net.query('MEDV', given={'RM': 7, 'LSTAT': 5})}")
print(net.query("MEDV", given={"NOX": 0.4}))
print(net.query("MEDV", do={"NOX": 0.4}))

# Predictions for held-out rows, with more and more missing values.
rng, truth = np.random.default_rng(2), test.column("MEDV")
rows = []
for share in (0.0, 0.25, 0.5, 0.75, 1.0):
    numbers = {name: test.values(name).astype(float) for name in test.names}
    for column in numbers.values():
        column[rng.random(test.rows) < share] = np.nan
    found = net.predict(numbers, "MEDV")
    off = np.abs(truth - found.mean)
    error, covered = float(np.sqrt((off**2).mean())), float((off < 1.96 * found.sd).mean())
    spread = float(found.sd.mean())
    rows.append({"missing": share, "error": error, "sd": spread, "within 1.96 sd": covered})
print("\nMEDV predicted in held-out rows: root mean square error, mean sd, share within 1.96 sd")
print_table(rows)

# Missing values are filled by expected values, or by draws if a seed is given.
gappy = {"RM": [6.5, None], "LSTAT": [None, 12.0], "MEDV": [24.0, None]}
filled = net.impute(gappy).select(["RM", "LSTAT", "MEDV"])
print("\nimputed:", {name: filled.values(name).round(2).tolist() for name in filled.order})

# To a file and back.
place = net.save(folder / "boston.json")
same = aw.load(place)
print(f"written: {place}; after loading, every density is the same:", end=" ")
print(bool((same.logpdf(test) == net.logpdf(test)).all()))

write_csv(folder / "first_look_gaps.csv", rows)
write_csv(folder / "first_look_edges.csv", net.edges.present.sorted().to_records())
if pyplot() is not None:
    axes = net.plot(target="MEDV", title="Boston: MEDV and its Markov blanket")
    save_figure(axes.figure, folder / "first_look.png")
