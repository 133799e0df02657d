"""The policy of a job, a TOML file or a mapping, and the tables that it is made of."""

from cobogo.data.policy.document import (
    Policy as Policy,
)
from cobogo.data.policy.hierarchies import (
    BUILDERS as BUILDERS,
)
from cobogo.data.policy.hierarchies import (
    LISTED as LISTED,
)
from cobogo.data.policy.hierarchies import (
    AgeHierarchy as AgeHierarchy,
)
from cobogo.data.policy.hierarchies import (
    AnyHierarchy as AnyHierarchy,
)
from cobogo.data.policy.hierarchies import (
    CodesHierarchy as CodesHierarchy,
)
from cobogo.data.policy.hierarchies import (
    CsvHierarchy as CsvHierarchy,
)
from cobogo.data.policy.hierarchies import (
    DatesHierarchy as DatesHierarchy,
)
from cobogo.data.policy.hierarchies import (
    HierarchySpec as HierarchySpec,
)
from cobogo.data.policy.hierarchies import (
    IntervalsHierarchy as IntervalsHierarchy,
)
from cobogo.data.policy.hierarchies import (
    LabelsHierarchy as LabelsHierarchy,
)
from cobogo.data.policy.hierarchies import (
    MaskHierarchy as MaskHierarchy,
)
from cobogo.data.policy.hierarchies import (
    OrderingHierarchy as OrderingHierarchy,
)
from cobogo.data.policy.hierarchies import (
    PathHierarchy as PathHierarchy,
)
from cobogo.data.policy.hierarchies import (
    QuantilesHierarchy as QuantilesHierarchy,
)
from cobogo.data.policy.hierarchies import (
    TreeHierarchy as TreeHierarchy,
)
from cobogo.data.policy.masking import (
    OPERATORS as OPERATORS,
)
from cobogo.data.policy.masking import (
    Masking as Masking,
)
from cobogo.data.policy.masking import (
    OperatorSpec as OperatorSpec,
)
from cobogo.data.policy.random_releases import (
    DomainSpec as DomainSpec,
)
from cobogo.data.policy.random_releases import (
    NoiseStep as NoiseStep,
)
from cobogo.data.policy.random_releases import (
    Perturbation as Perturbation,
)
from cobogo.data.policy.random_releases import (
    PramStep as PramStep,
)
from cobogo.data.policy.random_releases import (
    Randomization as Randomization,
)
from cobogo.data.policy.random_releases import (
    Sampling as Sampling,
)
from cobogo.data.policy.random_releases import (
    SwapStep as SwapStep,
)
from cobogo.data.policy.random_releases import (
    Synthesis as Synthesis,
)
from cobogo.data.policy.tables import (
    LAKES as LAKES,
)
from cobogo.data.policy.tables import (
    NORMALIZATIONS as NORMALIZATIONS,
)
from cobogo.data.policy.tables import (
    TABLES as TABLES,
)
from cobogo.data.policy.tables import (
    AttributePolicy as AttributePolicy,
)
from cobogo.data.policy.tables import (
    Data as Data,
)
from cobogo.data.policy.tables import (
    EnginePolicy as EnginePolicy,
)
from cobogo.data.policy.tables import (
    Formulas as Formulas,
)
from cobogo.data.policy.tables import (
    Normalization as Normalization,
)
from cobogo.data.policy.tables import (
    Output as Output,
)
from cobogo.data.policy.tables import (
    Privacy as Privacy,
)
from cobogo.data.policy.tables import (
    Recoding as Recoding,
)
from cobogo.data.policy.tables import (
    RegistryPolicy as RegistryPolicy,
)
from cobogo.data.policy.tables import (
    ReportPolicy as ReportPolicy,
)
from cobogo.data.policy.tables import (
    Responsibility as Responsibility,
)
from cobogo.data.policy.tables import (
    RiskPolicy as RiskPolicy,
)
from cobogo.data.policy.tables import (
    Role as Role,
)
from cobogo.data.policy.tables import (
    Utility as Utility,
)
from cobogo.data.policy.toml_file import (
    PolicyTable as PolicyTable,
)
from cobogo.data.policy.toml_file import (
    Separator as Separator,
)
