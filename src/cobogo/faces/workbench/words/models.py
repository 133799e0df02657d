"""Privacy models in plain words: what each promises, and what its parameters mean."""

ENGLISH = {
    "group.identity": "Nobody can be picked out",
    "group.identity-why": "Against whoever knows somebody's quasi-identifiers and looks for their record.",
    "group.attribute": "Nobody's secret can be read off their group",
    "group.attribute-why": "Against whoever finds the group of somebody and looks at its sensitive values.",
    "group.knowledge": "Not even with knowledge of other people",
    "group.knowledge-why": "Against whoever already knows something about others in the table, or how the table was "
    "made.",
    "group.series": "Tables that are released again and again",
    "group.series-why": "Against whoever lays several releases of the same people side by side.",
    "group.other": "Others",
    "group.other-why": "What other packages add.",
    "group.noise": "Promises by chance",
    "group.noise-why": "For releases whose values are drawn: run them as a perturbation or as synthetic data.",
    "model.k-anonymity": "Everybody looks like at least k − 1 others. Who knows a person's quasi-identifiers finds k "
    "records or more, and picks the right one with a chance of at most 1/k. A good beginning; say nothing more, and "
    "a group may still share one secret.",
    "model.k-map": "Everybody looks like at least k people of the population that the table was drawn from. Milder "
    "than k-anonymity; right for samples, if nobody knows who was drawn.",
    "model.highest-risk": "The chance of picking out the most exposed person stays below a limit: k-anonymity, said "
    "as a risk. 0.2 is the same as k = 5.",
    "model.average-risk": "Whoever tries to pick out everybody succeeds for at most this share of them. The most "
    "exposed may be worse off: use it together with a limit for everybody.",
    "model.delta-presence": "Nobody can tell whether a person of a public list is in the table. For tables in which "
    "being listed is the secret, such as the patients of a clinic.",
    "model.k-m-anonymity": "For columns that hold sets, such as purchases: who knows up to m things of a set still "
    "finds at least k people.",
    "model.l-diversity": "Each group has at least l different sensitive values, so that finding somebody's group "
    "does not tell their value for certain.",
    "model.t-closeness": "In each group the sensitive values are about as frequent as in the whole table, so that a "
    "group tells little that is not true of everybody.",
    "model.alpha-k-anonymity": "Groups of at least k, and in none of them is a sensitive value more frequent than a "
    "share α: a guess is right with a chance of at most α.",
    "model.p-sensitive-k-anonymity": "Groups of at least k people with at least p different sensitive values.",
    "model.beta-likeness": "No sensitive value is more than 1 + β times as frequent in a group as in the whole table.",
    "model.delta-disclosure": "Every sensitive value occurs in every group about as often as in the whole table. "
    "Very strict: one value that is missing in a group is too much.",
    "model.k-e-anonymity": "For sensitive numbers, such as wages: each group has at least k different ones, spread "
    "over a range of at least e.",
    "model.epsilon-m-anonymity": "For sensitive numbers: around none of them lie more than 1/m of its group, so that "
    "a narrow interval cannot be guessed.",
    "model.t-corruption": "Even who knows the sensitive values of t people of a group is right about another's with "
    "a chance of at most 1/l.",
    "model.c-k-safety": "Who knows any k facts of the kind “if Ana has the flu, so has José” is still less sure than "
    "c of anybody's value.",
    "model.personalized": "Everybody says in a column what they do not want to be linked to, and is linked to it "
    "with a probability of at most p.",
    "model.b-t-privacy": "Who knows how sensitive values go with the quasi-identifiers changes their mind about "
    "nobody by more than t. Costly: for small tables.",
    "model.injector": "Who knows what never goes together (no man has ovarian cancer) still takes at least l values "
    "to be possible for each person.",
    "model.m-confidentiality": "Nobody's value is believed with more than 1/m, even by who knows how the algorithm "
    "decides: it decides without a look at the sensitive values.",
    "model.m-invariance": "From release to release people stay with the same set of sensitive values around them, so "
    "that comparing releases tells nothing. Needs a column that tells people apart.",
    "model.rho1-rho2-privacy": "Randomized values: what was unlikely about a person (at most ρ1) does not become "
    "likely (above ρ2), nor the other way round.",
    "model.upward-rho1-rho2-privacy": "Randomized values: what was unlikely about a person (at most ρ1) does not "
    "become likely (above ρ2); what was likely may become unlikely.",
    "model.delta-growth": "Randomized values: no belief about a person grows by more than Δ.",
    "model.d-gamma-privacy": "Randomized values: what had a probability of at most d keeps one of at most γ.",
    "model.gamma-amplification": "Randomized values: no released value is more than γ times as likely from one "
    "original as from another.",
    "model.local-differential-privacy": "Randomized values: each person can deny any value of theirs; ε says how "
    "well. Holds even against who runs the collection.",
    "model.differential-privacy": "Synthetic data or samples: whether a person is in the table or not changes what "
    "may come out by at most a factor e^ε, except with a probability δ.",
    "model.zero-concentrated-differential-privacy": "The same promise as differential privacy in a form that adds up "
    "tightly over many draws; ρ says how much is given away.",
    "parameter.attribute": "Sensitive attribute",
    "parameter.every": "every sensitive attribute",
    "parameter.none": "not given",
    "parameter.k": "k: people in a group, at least",
    "parameter.l": "l: different values, at least",
    "parameter.t": "t: distance, at most",
    "parameter.p": "p",
    "parameter.c": "c: how much more frequent the first value may be",
    "parameter.kind": "Kind",
    "parameter.distance": "How far apart two values are",
    "parameter.distort": "Exchange values where it fails",
    "parameter.missing": "What a missing value is",
    "parameter.min": "At least",
    "parameter.max": "At most",
    "parameter.population": "File of the population",
    "parameter.population-size": "People in the population",
    "parameter.significance": "Chance of being wrong",
    "parameter.estimator": "Estimator",
    "parameter.alpha": "α: share of a value, at most",
    "parameter.value": "Only this value",
    "parameter.e": "e: range, at least",
    "parameter.beta": "β: gain, at most",
    "parameter.delta": "δ",
    "parameter.epsilon": "ε",
    "parameter.m": "m",
    "parameter.guard": "Column of wishes",
    "parameter.separator": "Between items",
    "parameter.previous": "Release before",
    "parameter.b": "B: what the attacker knows; small is much",
    "parameter.smoothing": "Over close values",
    "parameter.min-support": "Records behind a rule",
    "parameter.rho1": "ρ1: before, at most",
    "parameter.rho2": "ρ2: after, at most",
    "parameter.prior": "Whose prior",
    "parameter.largest-prior": "Largest prior",
    "parameter.d": "d: before, at most",
    "parameter.gamma": "γ",
    "parameter.rho": "ρ",
    "choice.distinct": "different values are counted",
    "choice.entropy": "rare values count little",
    "choice.recursive": "the most frequent one is held down",
    "choice.equal": "all equally",
    "choice.ordered": "by their order",
    "choice.hierarchical": "by their hierarchy",
    "choice.basic": "basic",
    "choice.enhanced": "enhanced: nothing becomes certain",
    "choice.absolute": "within ε",
    "choice.relative": "within ε times the value",
    "choice.poisson": "Poisson",
    "choice.zero-truncated-poisson": "Poisson without zero",
    "choice.any": "anybody's",
    "choice.table": "that of the table",
}

PORTUGUESE = {
    "group.identity": "Ninguém pode ser apontado",
    "group.identity-why": "Contra quem conhece os semi-identificadores de alguém e procura o seu registro.",
    "group.attribute": "O segredo de ninguém se lê no seu grupo",
    "group.attribute-why": "Contra quem encontra o grupo de alguém e olha seus valores sensíveis.",
    "group.knowledge": "Nem mesmo com conhecimento de outras pessoas",
    "group.knowledge-why": "Contra quem já sabe algo de outros na tabela, ou de como ela foi feita.",
    "group.series": "Tabelas publicadas repetidamente",
    "group.series-why": "Contra quem põe lado a lado várias publicações das mesmas pessoas.",
    "group.other": "Outros",
    "group.other-why": "O que outros pacotes acrescentam.",
    "group.noise": "Promessas pelo acaso",
    "group.noise-why": "Para publicações cujos valores são sorteados: execute como perturbação ou como dados "
    "sintéticos.",
    "model.k-anonymity": "Cada pessoa se parece com pelo menos k − 1 outras. Quem conhece os semi-identificadores de "
    "alguém encontra k registros ou mais, e acerta o certo com chance de no máximo 1/k. Um bom começo; sozinho, um "
    "grupo ainda pode ter um só segredo.",
    "model.k-map": "Cada pessoa se parece com pelo menos k pessoas da população de que a tabela foi tirada. Mais "
    "brando que o k-anonimato; serve para amostras, se ninguém sabe quem foi sorteado.",
    "model.highest-risk": "A chance de apontar a pessoa mais exposta fica abaixo de um limite: o k-anonimato dito "
    "como risco. 0,2 é o mesmo que k = 5.",
    "model.average-risk": "Quem tenta apontar todos acerta no máximo esta parcela deles. Os mais expostos podem "
    "estar pior: use junto com um limite para todos.",
    "model.delta-presence": "Não se pode saber se uma pessoa de uma lista pública está na tabela. Para tabelas em "
    "que estar nela é o segredo, como os pacientes de uma clínica.",
    "model.k-m-anonymity": "Para colunas que guardam conjuntos, como compras: quem conhece até m itens de um "
    "conjunto ainda encontra pelo menos k pessoas.",
    "model.l-diversity": "Cada grupo tem pelo menos l valores sensíveis diferentes: encontrar o grupo de alguém não "
    "revela com certeza o seu valor.",
    "model.t-closeness": "Em cada grupo os valores sensíveis são quase tão frequentes quanto na tabela toda: um "
    "grupo revela pouco que não valha para todos.",
    "model.alpha-k-anonymity": "Grupos de pelo menos k, e em nenhum deles um valor sensível passa de uma fração α: "
    "um palpite acerta com chance de no máximo α.",
    "model.p-sensitive-k-anonymity": "Grupos de pelo menos k pessoas com pelo menos p valores sensíveis diferentes.",
    "model.beta-likeness": "Nenhum valor sensível é mais que 1 + β vezes tão frequente num grupo quanto na tabela "
    "toda.",
    "model.delta-disclosure": "Todo valor sensível ocorre em todo grupo quase tanto quanto na tabela toda. Muito "
    "exigente: basta um valor faltar num grupo.",
    "model.k-e-anonymity": "Para números sensíveis, como salários: cada grupo tem pelo menos k diferentes, "
    "espalhados por uma faixa de pelo menos e.",
    "model.epsilon-m-anonymity": "Para números sensíveis: em torno de nenhum deles está mais que 1/m do grupo, de "
    "modo que não se adivinha um intervalo estreito.",
    "model.t-corruption": "Mesmo quem sabe os valores sensíveis de t pessoas de um grupo acerta o de outra com "
    "chance de no máximo 1/l.",
    "model.c-k-safety": "Quem conhece k fatos do tipo “se Ana tem gripe, José também tem” ainda tem menos certeza "
    "que c do valor de qualquer pessoa.",
    "model.personalized": "Cada pessoa diz numa coluna a que não quer ser ligada, e é ligada a isso com "
    "probabilidade de no máximo p.",
    "model.b-t-privacy": "Quem sabe como os valores sensíveis acompanham os semi-identificadores não muda de opinião "
    "sobre ninguém em mais que t. Custoso: para tabelas pequenas.",
    "model.injector": "Quem sabe o que nunca ocorre junto (homem não tem câncer de ovário) ainda tem pelo menos l "
    "valores possíveis para cada pessoa.",
    "model.m-confidentiality": "Não se crê no valor de ninguém com mais que 1/m, mesmo sabendo como o algoritmo "
    "decide: ele decide sem olhar os valores sensíveis.",
    "model.m-invariance": "De publicação em publicação as pessoas ficam com o mesmo conjunto de valores sensíveis à "
    "sua volta: comparar publicações nada revela. Precisa de uma coluna que distinga as pessoas.",
    "model.rho1-rho2-privacy": "Valores randomizados: o que era improvável sobre uma pessoa (no máximo ρ1) não se "
    "torna provável (acima de ρ2), nem o contrário.",
    "model.upward-rho1-rho2-privacy": "Valores randomizados: o que era improvável sobre uma pessoa (no máximo ρ1) não "
    "se torna provável (acima de ρ2); o que era provável pode se tornar improvável.",
    "model.delta-growth": "Valores randomizados: nenhuma crença sobre uma pessoa cresce mais que Δ.",
    "model.d-gamma-privacy": "Valores randomizados: o que tinha probabilidade de no máximo d fica com no máximo γ.",
    "model.gamma-amplification": "Valores randomizados: nenhum valor publicado é mais que γ vezes mais provável a "
    "partir de um original que de outro.",
    "model.local-differential-privacy": "Valores randomizados: cada pessoa pode negar qualquer valor seu; ε diz quão "
    "bem. Vale até contra quem faz a coleta.",
    "model.differential-privacy": "Dados sintéticos ou amostras: estar ou não na tabela muda o que pode sair em no "
    "máximo um fator e^ε, exceto com probabilidade δ.",
    "model.zero-concentrated-differential-privacy": "A mesma promessa da privacidade diferencial, numa forma que se "
    "soma com folga menor em muitos sorteios; ρ diz quanto se revela.",
    "parameter.attribute": "Atributo sensível",
    "parameter.every": "todo atributo sensível",
    "parameter.none": "não informado",
    "parameter.k": "k: pessoas num grupo, no mínimo",
    "parameter.l": "l: valores diferentes, no mínimo",
    "parameter.t": "t: distância, no máximo",
    "parameter.p": "p",
    "parameter.c": "c: quanto o primeiro valor pode ser mais frequente",
    "parameter.kind": "Tipo",
    "parameter.distance": "Distância entre dois valores",
    "parameter.distort": "Trocar valores onde falha",
    "parameter.missing": "O que é um valor ausente",
    "parameter.min": "No mínimo",
    "parameter.max": "No máximo",
    "parameter.population": "Arquivo da população",
    "parameter.population-size": "Pessoas na população",
    "parameter.significance": "Chance de errar",
    "parameter.estimator": "Estimador",
    "parameter.alpha": "α: parcela de um valor, no máximo",
    "parameter.value": "Só este valor",
    "parameter.e": "e: faixa, no mínimo",
    "parameter.beta": "β: ganho, no máximo",
    "parameter.delta": "δ",
    "parameter.epsilon": "ε",
    "parameter.m": "m",
    "parameter.guard": "Coluna dos desejos",
    "parameter.separator": "Entre os itens",
    "parameter.previous": "Publicação anterior",
    "parameter.b": "B: o que o atacante sabe; pequeno é muito",
    "parameter.smoothing": "Sobre valores próximos",
    "parameter.min-support": "Registros por trás de uma regra",
    "parameter.rho1": "ρ1: antes, no máximo",
    "parameter.rho2": "ρ2: depois, no máximo",
    "parameter.prior": "Probabilidade prévia de quem",
    "parameter.largest-prior": "Maior probabilidade prévia",
    "parameter.d": "d: antes, no máximo",
    "parameter.gamma": "γ",
    "parameter.rho": "ρ",
    "choice.distinct": "contam-se valores diferentes",
    "choice.entropy": "valores raros contam pouco",
    "choice.recursive": "o mais frequente é contido",
    "choice.equal": "todos igualmente",
    "choice.ordered": "pela ordem",
    "choice.hierarchical": "pela hierarquia",
    "choice.basic": "básica",
    "choice.enhanced": "reforçada: nada se torna certo",
    "choice.absolute": "a menos de ε",
    "choice.relative": "a menos de ε vezes o valor",
    "choice.poisson": "Poisson",
    "choice.zero-truncated-poisson": "Poisson sem zero",
    "choice.any": "de qualquer um",
    "choice.table": "a da tabela",
}
