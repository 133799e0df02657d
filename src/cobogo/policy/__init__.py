"""The policy of a job, a TOML file or a mapping, and the tables that it is made of."""

from cobogo.policy.hierarchies import (
    BUILDERS as BUILDERS,
)
from cobogo.policy.hierarchies import (
    AnyHierarchy as AnyHierarchy,
)
from cobogo.policy.hierarchies import (
    CsvHierarchy as CsvHierarchy,
)
from cobogo.policy.hierarchies import (
    DatesHierarchy as DatesHierarchy,
)
from cobogo.policy.hierarchies import (
    HierarchySpec as HierarchySpec,
)
from cobogo.policy.hierarchies import (
    IntervalsHierarchy as IntervalsHierarchy,
)
from cobogo.policy.hierarchies import (
    MaskHierarchy as MaskHierarchy,
)
from cobogo.policy.hierarchies import (
    OrderingHierarchy as OrderingHierarchy,
)
from cobogo.policy.hierarchies import (
    PathHierarchy as PathHierarchy,
)
from cobogo.policy.hierarchies import (
    TreeHierarchy as TreeHierarchy,
)
from cobogo.policy.masking import (
    OPERATORS as OPERATORS,
)
from cobogo.policy.masking import (
    Masking as Masking,
)
from cobogo.policy.masking import (
    OperatorSpec as OperatorSpec,
)
from cobogo.policy.part import (
    Part as Part,
)
from cobogo.policy.part import (
    Separator as Separator,
)
from cobogo.policy.perturbation import (
    NoiseStep as NoiseStep,
)
from cobogo.policy.perturbation import (
    Perturbation as Perturbation,
)
from cobogo.policy.perturbation import (
    PramStep as PramStep,
)
from cobogo.policy.perturbation import (
    SwapStep as SwapStep,
)
from cobogo.policy.policy import (
    Policy as Policy,
)
from cobogo.policy.randomization import (
    Randomization as Randomization,
)
from cobogo.policy.sampling import (
    Sampling as Sampling,
)
from cobogo.policy.synthesis import (
    DomainSpec as DomainSpec,
)
from cobogo.policy.synthesis import (
    Synthesis as Synthesis,
)
from cobogo.policy.tables import (
    NORMALIZATIONS as NORMALIZATIONS,
)
from cobogo.policy.tables import (
    AttributePolicy as AttributePolicy,
)
from cobogo.policy.tables import (
    Data as Data,
)
from cobogo.policy.tables import (
    Formulas as Formulas,
)
from cobogo.policy.tables import (
    Output as Output,
)
from cobogo.policy.tables import (
    Privacy as Privacy,
)
from cobogo.policy.tables import (
    Recoding as Recoding,
)
from cobogo.policy.tables import (
    RegistryPolicy as RegistryPolicy,
)
from cobogo.policy.tables import (
    ReportPolicy as ReportPolicy,
)
from cobogo.policy.tables import (
    RiskPolicy as RiskPolicy,
)
from cobogo.policy.tables import (
    Role as Role,
)
from cobogo.policy.tables import (
    Utility as Utility,
)
