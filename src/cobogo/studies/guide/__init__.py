"""The guide: k-anonymity and l-diversity step by step, on one's own table or on invented COVID-19 cases.

For each k there is a k-anonymous release, and for each k and each l up to k one that is also l-diverse. They are
alternatives: an attacker with two of them singles out people whom neither exposes alone. One is placed in ``public/``,
to be given away; everything else stays with the data holder.
"""
