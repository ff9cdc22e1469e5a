"""Bayesian classifiers: their structures, and how they are learned and asked."""

from arcwise.learners.classifiers.classifier import (
    FEATURES,
    Classifier,
    ClassifierSpec,
    decide,
    learn_classifier,
    prepared_classes,
)
from arcwise.learners.classifiers.relations import Relations
from arcwise.learners.classifiers.selection import SELECTIONS, leave_one_out
from arcwise.learners.classifiers.structures import STRUCTURES, Plan, structures_of

__all__ = [
    "FEATURES",
    "SELECTIONS",
    "STRUCTURES",
    "Classifier",
    "ClassifierSpec",
    "Plan",
    "Relations",
    "decide",
    "learn_classifier",
    "leave_one_out",
    "prepared_classes",
    "structures_of",
]
