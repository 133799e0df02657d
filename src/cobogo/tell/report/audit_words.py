"""The words of an audit, in each language. What an attack says of itself is English; here it is in Portuguese."""

from __future__ import annotations

ENGLISH = {
    "audit.title": "Audit of a release",
    "audit.banner": "Keep this page with the evidence: it says how the release can be attacked.",
    "audit.banner.why": "It shows no value of the data, only how many people an attack finds and how surely.",
    "audit.nobody": "No attack that was tried finds anybody",
    "audit.exposed": "{n} attack finds people|{n} attacks find people",
    "audit.open": "No verdict: attacks that fit this release could not be tried",
    "audit.nobody.why": "{tried} attacks were tried on {records} records, all that are made for such a release and had "
    "what they need. None is surer of anybody than its threshold and than anybody was without it. What was not tried "
    "stands below.",
    "audit.exposed.why": "{tried} attacks were tried on {records} records. Those below in red are surer of somebody "
    "than their threshold. What helps stands beside each.",
    "audit.open.why": "{tried} attacks were tried on {records} records and find nobody. {untried} that are made for "
    "such a release could not be tried: what they would find is not known. Do not take this page for an all-clear.",
    "audit.people.record": "{n} person is re-identified: their record is found.|{n} people are re-identified: their "
    "records are found.",
    "audit.people.value": "Of {n} person a sensitive value is inferred; their record need not be found.|Of {n} people "
    "a sensitive value is inferred; their records need not be found.",
    "audit.people.presence": "{n} person is found to be in the data.|{n} people are found to be in the data.",
    "audit.finds.record": "Re-identified: whose record it is",
    "audit.finds.record.why": "The attacker learns which record is a person's.",
    "audit.finds.value": "Inferred: what a person has",
    "audit.finds.value.why": "The attacker guesses a sensitive value of a person, without having to find their record.",
    "audit.finds.presence": "Present: who is in the data",
    "audit.finds.presence.why": "The attacker learns that a person is in the data.",
    "audit.before": "without it",
    "audit.failed": "Attacks that fit this release and could not be tried",
    "audit.failed.why": "What they would find is not known.",
    "audit.failed.other": "made for such a release, and could not be tried here",
    "audit.release": "release",
    "audit.hash": "SHA-256 of its manifest",
    "audit.models": "models promised",
    "audit.knowledge": "what the attacker was given",
    "audit.knowledge.none": "nothing beside the release",
    "audit.earlier": "crossed with",
    "audit.earlier.none": "no other release",
    "audit.what": "What was audited",
    "audit.table": "What each attack finds",
    "audit.table.why": "An attack finds a person when it is surer of them than its threshold, and surer than anybody "
    "was without it. Some measure how sure they are, others how much surer than before. Beside the surest guess stands "
    "how sure anybody was of the same without the attack.",
    "audit.attack": "attack",
    "audit.knows": "the attacker knows",
    "audit.attacked": "attacked",
    "audit.surest": "surest guess",
    "audit.gain": "largest gain",
    "audit.threshold": "threshold",
    "audit.verdict": "verdict",
    "audit.none": "✓ nobody",
    "audit.somebody": "✗ {n} person|✗ {n} people",
    "audit.defence": "what helps",
    "audit.untried": "Attacks that were not tried",
    "audit.untried.why": "They need something that was not given, or are made for another kind of release.",
    "audit.reason": "why not",
    "audit.needs": "needs {inputs}",
    "audit.other": "made for another kind of release, or has nothing to look at here",
    "audit.input.knowledge": "a table of people (--knowledge)",
    "audit.input.control": "a table of people who are not in the release (--control)",
    "audit.input.queries": "queries that were answered (--queries)",
    "audit.input.releases": "an earlier release (--with)",
    "audit.notes": "What was not looked at",
    "audit.plot.nobody": "No attack that was tried is surer of anybody than its threshold",
    "audit.plot.open": "No verdict: attacks that fit could not be tried",
    "audit.plot.exposed": "{n} attack goes beyond its threshold|{n} attacks go beyond their thresholds",
    "audit.plot.what": "How sure each attack is of whom it is surest of; the line marks its threshold. In orange: "
    "beyond "
    "it. Right: the share of the people attacked who are found.",
    "audit.plot.sure": "surest guess, or largest gain",
    "audit.plot.share": "people found",
    "audit.sign": "Taken note of",
    "audit.sign.why": "By whoever answers for the protection of the data. What was attacked is the release with the "
    "hash "
    "above; another release needs another audit.",
    "audit.sign.name": "name and role",
    "audit.sign.decision": "decision (release, hold back, change)",
    "audit.sign.date": "place and date",
    "audit.sign.signature": "signature",
}

PORTUGUESE = {
    "audit.title": "Auditoria de uma versão publicável",
    "audit.banner": "Guarde esta página com as evidências: ela diz como a versão pode ser atacada.",
    "audit.banner.why": "Não mostra nenhum valor dos dados, só quantas pessoas um ataque encontra e com que certeza.",
    "audit.nobody": "Nenhum dos ataques tentados encontra alguém",
    "audit.exposed": "{n} ataque encontra pessoas|{n} ataques encontram pessoas",
    "audit.open": "Sem veredito: ataques que servem a esta versão não puderam ser tentados",
    "audit.nobody.why": "{tried} ataques foram tentados sobre {records} registros, todos os que são feitos para uma "
    "versão assim e tinham o que precisam. Nenhum tem mais certeza sobre alguém do que o seu limiar e do que qualquer "
    "um teria sem ele. O que não foi tentado está abaixo.",
    "audit.exposed.why": "{tried} ataques foram tentados sobre {records} registros. Os marcados em vermelho têm mais "
    "certeza sobre alguém do que o seu limiar. Ao lado de cada um está o que ajuda.",
    "audit.open.why": "{tried} ataques foram tentados sobre {records} registros e não encontram ninguém. {untried} "
    "feitos para uma versão assim não puderam ser tentados: não se sabe o que encontrariam. Não tome esta página por "
    "um sinal verde.",
    "audit.people.record": "{n} pessoa é reidentificada: o registro dela é encontrado.|{n} pessoas são "
    "reidentificadas: os registros delas são encontrados.",
    "audit.people.value": "De {n} pessoa infere-se um valor sensível, mesmo sem achar o registro dela.|De {n} pessoas "
    "infere-se um valor sensível, mesmo sem achar os registros delas.",
    "audit.people.presence": "Descobre-se que {n} pessoa está nos dados.|Descobre-se que {n} pessoas estão nos dados.",
    "audit.finds.record": "Reidentificação: de quem é o registro",
    "audit.finds.record.why": "Quem ataca descobre qual registro é de uma pessoa.",
    "audit.finds.value": "Inferência: o que uma pessoa tem",
    "audit.finds.value.why": "Quem ataca adivinha um valor sensível de uma pessoa, sem precisar achar o registro dela.",
    "audit.finds.presence": "Presença: quem está nos dados",
    "audit.finds.presence.why": "Quem ataca descobre que uma pessoa está nos dados.",
    "audit.before": "sem ele",
    "audit.failed": "Ataques que servem a esta versão e não puderam ser tentados",
    "audit.failed.why": "Não se sabe o que encontrariam.",
    "audit.failed.other": "feito para uma versão assim, e não pôde ser tentado aqui",
    "audit.release": "versão",
    "audit.hash": "SHA-256 do seu manifesto",
    "audit.models": "modelos prometidos",
    "audit.knowledge": "o que foi dado a quem ataca",
    "audit.knowledge.none": "nada além da versão publicada",
    "audit.earlier": "cruzada com",
    "audit.earlier.none": "nenhuma outra versão",
    "audit.what": "O que foi auditado",
    "audit.table": "O que cada ataque encontra",
    "audit.table.why": "Um ataque encontra uma pessoa quando tem mais certeza sobre ela do que o seu limiar, e mais "
    "do que qualquer um teria sem ele. Alguns medem quanta certeza têm; outros, quanto ela cresceu. Ao lado do palpite "
    "mais certo está quanta certeza qualquer um tinha do mesmo sem o ataque.",
    "audit.attack": "ataque",
    "audit.knows": "quem ataca conhece",
    "audit.attacked": "atacados",
    "audit.surest": "palpite mais certo",
    "audit.gain": "maior ganho",
    "audit.threshold": "limiar",
    "audit.verdict": "veredito",
    "audit.none": "✓ ninguém",
    "audit.somebody": "✗ {n} pessoa|✗ {n} pessoas",
    "audit.defence": "o que ajuda",
    "audit.untried": "Ataques que não foram tentados",
    "audit.untried.why": "Precisam de algo que não foi dado, ou são feitos para outro tipo de versão.",
    "audit.reason": "por que não",
    "audit.needs": "precisa de {inputs}",
    "audit.other": "feito para outro tipo de versão, ou sem nada a examinar aqui",
    "audit.input.knowledge": "uma tabela de pessoas (--knowledge)",
    "audit.input.control": "uma tabela de pessoas que não estão na versão (--control)",
    "audit.input.queries": "consultas que foram respondidas (--queries)",
    "audit.input.releases": "uma versão anterior (--with)",
    "audit.notes": "O que não foi examinado",
    "audit.plot.nobody": "Nenhum dos ataques tentados tem mais certeza sobre alguém do que o seu limiar",
    "audit.plot.open": "Sem veredito: ataques que servem não puderam ser tentados",
    "audit.plot.exposed": "{n} ataque passa do seu limiar|{n} ataques passam dos seus limiares",
    "audit.plot.what": "Quanta certeza cada ataque tem sobre a pessoa de quem tem mais; o traço marca o seu limiar. Em "
    "laranja: além dele. À direita: a parte das pessoas atacadas que são encontradas.",
    "audit.plot.sure": "palpite mais certo, ou maior ganho",
    "audit.plot.share": "pessoas encontradas",
    "audit.sign": "Ciência",
    "audit.sign.why": "De quem responde pela proteção dos dados. O que foi atacado é a versão com o hash acima; outra "
    "versão precisa de outra auditoria.",
    "audit.sign.name": "nome e função",
    "audit.sign.decision": "decisão (publicar, reter, mudar)",
    "audit.sign.date": "local e data",
    "audit.sign.signature": "assinatura",
}

ATTACKS_IN_PORTUGUESE: dict[str, tuple[str, str, str]] = {
    "record-linkage": (
        "ligação de registros",
        "uma tabela sobre pessoas, com alguns dos semi-identificadores",
        "k-anonimato sobre toda coluna que outros possam conhecer: nenhum registro serve então a menos de k pessoas.",
    ),
    "distance-linkage": (
        "ligação por distância",
        "uma tabela sobre pessoas, com os valores que foram mudados antes da publicação",
        "Mais ruído em toda coluna que outros conheçam, ou microagregação de todas juntas: k registros ficam iguais.",
    ),
    "homogeneity": (
        "homogeneidade",
        "os semi-identificadores de uma pessoa, e que ela está na versão",
        "l-diversidade por entropia ou recursiva, (α,k)-anonimato ou t-proximidade.",
    ),
    "background-knowledge": (
        "conhecimento prévio",
        "os semi-identificadores de uma pessoa, e alguns valores sensíveis que ela não tem",
        "l-diversidade com l acima do número de fatos + 1, ou (c,k)-segurança.",
    ),
    "skewness": (
        "assimetria",
        "os semi-identificadores de uma pessoa, e a frequência de cada valor sensível",
        "t-proximidade, β-semelhança ou δ-revelação: limitam quanto uma classe se afasta do todo.",
    ),
    "similarity": (
        "similaridade",
        "os semi-identificadores de uma pessoa, e quais valores sensíveis se parecem",
        "t-proximidade com distância hierárquica ou ordenada, (ε,m)- ou (k,e)-anonimato.",
    ),
    "presence": (
        "presença",
        "uma tabela de todos os que podem estar na versão",
        "δ-presença com essa tabela como população.",
    ),
    "probabilistic": (
        "mudança de crença",
        "os semi-identificadores de uma pessoa, e a frequência de cada valor sensível",
        "t-proximidade com distância igual: o seu t é este ganho.",
    ),
    "corruption": (
        "corrupção",
        "os semi-identificadores de uma pessoa, e os valores sensíveis de t outras da classe",
        "l-diversidade com t corrompidos, ou perturbação de cada registro por si.",
    ),
    "minimality": (
        "minimalidade",
        "os semi-identificadores de todos, os modelos, e que nada foi generalizado além do pedido",
        "m-confidencialidade: a recodificação é escolhida sem olhar os valores sensíveis.",
    ),
    "unsorted-matching": (
        "mesma ordem de linhas",
        "duas versões das mesmas pessoas",
        "Ordem aleatória das linhas, sorteada de novo a cada versão; o Cobogó sempre faz isso.",
    ),
    "join": (
        "junção de duas tabelas",
        "duas tabelas das mesmas pessoas",
        "Não publicar nenhum identificador, nem um sem significado: retirá-lo, ou dar pseudônimos próprios a cada "
        "tabela.",
    ),
    "projections": (
        "projeções",
        "duas respostas com uma coluna em comum",
        "Responder a todas as consultas a partir de uma tabela anonimizada, ou com privacidade diferencial.",
    ),
    "tracker": (
        "rastreador",
        "os semi-identificadores de todos, e as respostas exatas a algumas consultas",
        "Responder com privacidade diferencial, que conta o que todas as respostas dizem juntas.",
    ),
    "duplicate": (
        "duplicatas",
        "que registros inventados foram postos entre os verdadeiros, cada um no máximo uma vez",
        "Publicar um conjunto: sortear os inventados entre os que não estão na tabela, sem repetir nenhum.",
    ),
    "complementary": (
        "versões complementares",
        "duas versões de uma tabela, e os semi-identificadores de uma pessoa",
        "Basear a versão na anterior (nada mais específico do que já foi publicado), ou tratar tudo o que já foi "
        "publicado "
        "como semi-identificador.",
    ),
    "temporal": (
        "temporal",
        "duas versões de uma tabela que mudou, os semi-identificadores de uma pessoa, e que ela está em ambas",
        "Basear cada versão na anterior, e publicar de novo só quando ficar gente bastante em cada classe.",
    ),
    "intersection": (
        "interseção",
        "os semi-identificadores de uma pessoa, e que ela está em ambas as versões",
        "Pedir m-invariância, que mantém cada um entre os mesmos valores; ou basear cada versão na anterior.",
    ),
    "differencing": (
        "diferença",
        "que uma pessoa chegou, ou saiu, entre duas versões",
        "Publicar de novo só quando ninguém, ou ao menos k pessoas, tiver chegado a cada classe e saído dela.",
    ),
    "averaging": (
        "média",
        "várias versões das mesmas pessoas, cada uma perturbada de novo",
        "Sortear uma vez para cada pessoa e valor, e publicar sempre o mesmo sorteio.",
    ),
    "definetti": (
        "de Finetti",
        "nada além da versão; que os registros de outras pessoas se parecem com este",
        "Publicar classes em vez de grupos, ou (B,t)-privacidade ou Injector, que contam o que uma coluna diz de "
        "outra.",
    ),
    "singling-out": (
        "individualização",
        "nada além da tabela sintética",
        "Dados sintéticos de um modelo diferencialmente privado: o registro de ninguém o muda muito.",
    ),
    "linkability": (
        "ligabilidade",
        "algumas colunas de cada pessoa, e outras de cada uma, mas não quais vão juntas",
        "Dados sintéticos de um modelo diferencialmente privado: o registro de ninguém o muda muito.",
    ),
    "inference": (
        "inferência",
        "todas as colunas de cada pessoa menos uma",
        "Dados sintéticos de um modelo diferencialmente privado: o registro de ninguém o muda muito.",
    ),
    "membership": (
        "pertencimento",
        "o registro de uma pessoa, e registros de outras que não estão nos dados",
        "Dados de um modelo diferencialmente privado: com ε pequeno nenhum registro mostra de quem era.",
    ),
}
"""The name of each attack, what its attacker knows, and what helps."""
