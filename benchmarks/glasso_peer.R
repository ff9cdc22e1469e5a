# One measurement of an R peer in a process of its own: a line of JSON.
#   Rscript glasso_peer.R FILE PEER PENALTY REPEATS
# FILE holds the covariance as doubles, column by column; with .edges beside it, the pairs of a known graph.
words <- commandArgs(TRUE)
path <- words[1]; peer <- words[2]; penalty <- as.numeric(words[3]); repeats <- as.integer(words[4])
size <- sqrt(file.info(path)$size / 8)
S <- matrix(readBin(path, "double", size * size), size)
edges <- function() matrix(scan(paste0(path, ".edges"), quiet = TRUE), ncol = 2, byrow = TRUE) + 1
suppressMessages({
  work <- switch(peer,
    "R glasso" = { library(glasso); function() glasso(S, penalty)$wi },
    "R huge" = { library(huge); function() as.matrix(huge(S, lambda = penalty, method = "glasso", verbose = FALSE)$icov[[1]]) },
    "R huge path" = { library(huge); function() as.matrix(tail(huge(S, nlambda = 30, lambda = exp(seq(log(max(abs(S - diag(diag(S))))), log(penalty), length.out = 30)), method = "glasso", verbose = FALSE)$icov, 1)[[1]]) },
    "R glasso known" = { library(glasso); e <- edges(); free <- diag(size) > 0; free[e] <- TRUE; free[e[, 2:1]] <- TRUE
                         zero <- which(!free & upper.tri(free), arr.ind = TRUE); function() glasso(S, 0, zero = zero)$wi },
    "R ggm" = { library(ggm); e <- edges(); A <- matrix(0, size, size, dimnames = list(1:size, 1:size)); A[e] <- 1; A[e[, 2:1]] <- 1
                dimnames(S) <- dimnames(A); function() solve(fitConGraph(A, S, size)$Shat) })
})
least <- Inf
for (k in seq_len(repeats)) {
  before <- proc.time(); T <- work(); cpu <- sum((proc.time() - before)[1:2])
  least <- min(least, cpu)
}
T <- (T + t(T)) / 2
W <- solve(T)
breach <- ifelse(T != 0, abs(S - W + penalty * sign(T)), pmax(abs(S - W) - penalty, 0))
cat(sprintf('{"cpu": %.6f, "kkt": %.3e, "edges": %d}\n', least, if (penalty > 0) max(breach) / penalty else NaN, sum(T[upper.tri(T)] != 0)))
