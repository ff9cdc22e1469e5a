# Graphs chosen by huge on one data set: lines "rule edges..." with pairs as numbers from 0.
#   Rscript selection_peer.R FILE ROWS COLUMNS SEED
words <- commandArgs(TRUE)
n <- as.integer(words[2]); p <- as.integer(words[3])
x <- matrix(readBin(words[1], "double", n * p), n, byrow = TRUE)
suppressMessages(library(huge))
set.seed(as.integer(words[4]))
path <- huge(x, method = "glasso", nlambda = 30, lambda.min.ratio = 0.05, verbose = FALSE)
mb <- huge(x, method = "mb", nlambda = 30, lambda.min.ratio = 0.05, verbose = FALSE)
show <- function(rule, A) { A <- as.matrix(A); e <- which(A != 0 & upper.tri(A), arr.ind = TRUE) - 1; cat(rule, t(e), "\n") }
show("ebic", huge.select(path, criterion = "ebic", verbose = FALSE)$refit)
show("stars", huge.select(path, criterion = "stars", verbose = FALSE)$refit)
show("ric", huge.select(path, criterion = "ric", verbose = FALSE)$refit)
show("mb", huge.select(mb, criterion = "ric", verbose = FALSE)$refit)
