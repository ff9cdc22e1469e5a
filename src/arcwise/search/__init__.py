"""Searches"""
