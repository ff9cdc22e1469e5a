# Graphs chosen by huge on one data set: lines "rule seconds edges..." with pairs as numbers from 0.
#   Rscript selection_peer.R FILE ROWS COLUMNS SEED
# Seconds are CPU time of the path and of the choice.
words <- commandArgs(TRUE)
n <- as.integer(words[2]); p <- as.integer(words[3])
x <- matrix(readBin(words[1], "double", n * p), n, byrow = TRUE)
suppressMessages(library(huge))
set.seed(as.integer(words[4]))
cpu <- function() sum(proc.time()[c(1, 2, 4, 5)], na.rm = TRUE)
show <- function(rule, path, seconds, criterion) {
  began <- cpu()
  A <- as.matrix(huge.select(path, criterion = criterion, verbose = FALSE)$refit)
  taken <- seconds + cpu() - began
  edges <- which(A != 0 & upper.tri(A), arr.ind = TRUE) - 1
  cat(rule, taken, t(edges), "\n")
}
for (method in c("glasso", "mb")) {
  began <- cpu()
  path <- huge(x, method = method, nlambda = 30, lambda.min.ratio = 0.05, verbose = FALSE)
  seconds <- cpu() - began
  rules <- if (method == "glasso") c("ebic", "stars", "ric") else c("stars", "ric")
  for (rule in rules) show(if (method == "mb") paste0("mb-", rule) else rule, path, seconds, rule)
}
