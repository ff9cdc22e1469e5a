"""Bayesian classifiers: graphs around a class, and learning and prediction of classifiers."""

from arcwise.learners.classifiers.class_graph import ClassGraph
from arcwise.learners.classifiers.classifier import (
    FEATURES,
    STRUCTURES,
    Classifier,
    ClassifierSpec,
    decide,
    learn_classifier,
    prepared_classes,
)
from arcwise.learners.classifiers.feature_selection import SELECTIONS, held_out_logs, leave_one_out

__all__ = [
    "FEATURES",
    "SELECTIONS",
    "STRUCTURES",
    "ClassGraph",
    "Classifier",
    "ClassifierSpec",
    "decide",
    "held_out_logs",
    "learn_classifier",
    "leave_one_out",
    "prepared_classes",
]
