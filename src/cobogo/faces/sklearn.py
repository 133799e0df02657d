"""A recoding as a transformer: ``from cobogo.faces.sklearn import Anonymizer``, where scikit-learn is installed."""

from __future__ import annotations

from typing import Any

import numpy as np

from cobogo.data.policy import Policy
from cobogo.data.policy.construct import non_sensitive
from cobogo.data.table.columns import unused_names
from cobogo.data.table.frames import as_arrow, frame_columns, frame_kind, give_back
from cobogo.floor.extras import needing_extra
from cobogo.publish import anonymize as job
from cobogo.publish.recode.algorithms import Algorithm
from cobogo.publish.registry.reuse import Reuse

with needing_extra():
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.utils.validation import check_is_fitted


class Anonymizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Recodes the quasi-identifiers of a frame until the models of a policy hold.

    ``fit`` finds the recoding, ``transform`` applies it to other rows. A row stays a row, in its place: one that the
    policy would leave out has only missing values. Identifiers are left out. Recoded columns are texts.

    Guarantee: the rows with values that ``fit_transform`` returns satisfy every model of the policy; so do those that
        one call of ``transform`` returns, among themselves: classes of the new rows that fail are left out, and the
        call is refused where no row is left, or where a value is not in its hierarchy
    Limits: nothing is promised of the rows of several calls taken together, those of ``fit_transform`` included;
        whoever knows the order of the original rows knows whose row is which, so shuffle them before you give them
        away; nothing is verified from a file, as ``anonymize(…).write(…)`` does; a model that learns from these rows
        has no guarantee of its own

    >>> import pandas as pd
    >>> import cobogo as cb
    >>> people = pd.DataFrame({"age": [31, 34, 52, 58], "ill": ["a", "b", "a", "b"]})
    >>> policy = cb.Policy({"age": cb.quasi(cb.intervals(10, 20)), "ill": cb.sensitive()}, [cb.KAnonymity(2)])
    >>> anonymizer = Anonymizer(policy)
    >>> anonymizer.fit_transform(people)["age"].tolist()
    ['30-39', '30-39', '50-59', '50-59']
    >>> anonymizer.transform(people[:2].assign(age=[36, 38]))["age"].tolist()
    ['30-39', '30-39']
    """

    def __init__(self, policy: Any, engine: str | None = None) -> None:
        self.policy = policy
        self.engine = engine

    def fit(self, X: Any, y: Any = None) -> Anonymizer:  # noqa: N803
        """Find the recoding. One that cannot be applied to other rows is refused."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # noqa: N803, ARG002
        """Find the recoding, and apply it to the rows that it was found for."""
        return self._recode(X, None)

    def transform(self, X: Any) -> Any:  # noqa: N803
        """Apply the recoding that was found to rows with the same columns."""
        check_is_fitted(self)
        return self._recode(X, self.recoding_)

    def get_feature_names_out(self, input_features: Any = None) -> Any:  # noqa: ARG002
        """The columns that are released."""
        check_is_fitted(self)
        return np.array(self.columns_, dtype=object)

    def _recode(self, frame: Any, recoding: Algorithm | None) -> Any:
        """The rows of a frame as a frame like it, by a recoding or by one that is found. A column of row numbers goes
        along, since a release shuffles the rows."""
        import pyarrow as pa
        from pyarrow import compute

        policy, names = Policy.from_any(self.policy), frame_columns(frame)
        (place,) = unused_names(names, 1)
        rows = as_arrow(frame)
        places = pa.array(range(rows.num_rows))
        rules = policy.model_copy(
            update={"attributes": {**policy.attributes, place: non_sensitive(publish_unique=True)}}
        )
        prepared = job.prepare(rows.append_column(place, places), rules, engine=self.engine)
        release = job.solve(prepared, algorithm=recoding)
        if recoding is None:
            self.recoding_ = Reuse(release.plan.to_json(), policy.name)
            self.columns_ = [name for name in release.columns if name != place]
            self.feature_names_in_, self.n_features_in_ = np.array(names, dtype=object), len(names)
        recoded = release.to_arrow()
        recoded = recoded.take(compute.index_in(places, recoded[place].combine_chunks())).select(self.columns_)
        found = give_back(recoded, frame_kind(frame), {})
        if hasattr(found, "index"):
            found.index = frame.index
        return found
