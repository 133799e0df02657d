"""What the names of columns speak of, in English and Portuguese, and the words that people's names are made of.

Names are compared without accents, case and separators: ``Data de Nascimento``, ``dataNascimento`` and
``DATA_NASCIMENTO`` are the same words.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from cobogo.data.policy import Role
from cobogo.floor.language import Text, tr


class Clue(StrEnum):
    """What in a column may point at a person."""

    CPF = "CPF"
    CNPJ = "CNPJ"
    EMAIL = "e-mail address"
    PHONE = "phone number"
    CARD = "payment card"
    PERSON = "name of a person"
    DATE = "date"
    POSTAL_CODE = "postal code"
    IP = "IP address"
    URL = "web address"
    UUID = "UUID"
    DOCUMENT = "identity document or registered number"
    CNS = "health card (CNS)"
    ADDRESS = "address"
    BIOMETRIC = "biometric data"
    KEY = "key"
    FREE_TEXT = "free text"

    @property
    def words(self) -> Text:
        """What it is called, in any language."""
        return _CLUES[self]


_CLUES = {
    Clue.CPF: tr("CPF"),
    Clue.CNPJ: tr("CNPJ"),
    Clue.EMAIL: tr("e-mail address"),
    Clue.PHONE: tr("phone number"),
    Clue.CARD: tr("payment card"),
    Clue.PERSON: tr("name of a person"),
    Clue.DATE: tr("date"),
    Clue.POSTAL_CODE: tr("postal code"),
    Clue.IP: tr("IP address"),
    Clue.URL: tr("web address"),
    Clue.UUID: tr("UUID"),
    Clue.DOCUMENT: tr("identity document or registered number"),
    Clue.CNS: tr("health card (CNS)"),
    Clue.ADDRESS: tr("address"),
    Clue.BIOMETRIC: tr("biometric data"),
    Clue.KEY: tr("key"),
    Clue.FREE_TEXT: tr("free text"),
}


@dataclass(frozen=True)
class Topic:
    """A subject that a column's name can speak of, and the role that follows from it."""

    about: str  # a name of the subject; its Text has the words in any language
    role: Role
    words: frozenset[str]  # without blanks between them
    confidence: float
    clue: Clue | None = None
    why: str = ""  # a text: why the role follows
    widths: tuple[float, ...] = ()  # of intervals that suit the subject
    weak: bool = False  # words that say little beside others: the "nome" of "nome_municipio"


WEIGHT = tr("the weight of a record in a sample")
_LAW = tr("personal data that LGPD art. 5 II and GDPR art. 9 call sensitive")
_PRIVATE = tr("a matter that people keep to themselves")
_KNOWN = tr("which others may know")


def _topic(about: Text | Clue, role: Role, confidence: float, words: str, **more: object) -> Topic:
    clue = about if isinstance(about, Clue) else None
    split = frozenset(word.replace(" ", "") for word in re.split(r"\s*,\s*", words.strip()))
    return Topic(about.words if isinstance(about, Clue) else about, role, split, confidence, clue=clue, **more)  # type: ignore[arg-type]


def _identifier(clue: Clue, confidence: float, words: str, *, weak: bool = False) -> Topic:
    return _topic(clue, Role.IDENTIFIER, confidence, words, weak=weak)


def _quasi(about: Text | Clue, words: str, *, confidence: float = 0.85, **more: object) -> Topic:
    return _topic(about, Role.QUASI_IDENTIFIER, confidence, words, why=_KNOWN, **more)


def _sensitive(about: Text, words: str, *, confidence: float = 0.85, why: Text = _LAW, **more: object) -> Topic:
    return _topic(about, Role.SENSITIVE, confidence, words, why=why, **more)


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


PEOPLE = _set(
    "paciente patient pacient cliente customer client motorista driver aluno student funcionario employee "
    "servidor titular holder segurado insured beneficiario beneficiary usuario user pessoa person individuo "
    "individual subject participante participant medico doctor professor teacher mae mother pai father "
    "responsavel guardian conjuge spouse passageiro passenger cidadao citizen morador resident member membro "
    "eleitor voter condutor"
)
TITLES = _set(
    "dr dra sr sra srta dona doutora senhor senhora mr mrs ms miss filho filha esposa esposo marido irmao irma avo tio "
    "tia primo prima neto neta sobrinho sobrinha vizinho vizinha companheiro companheira enfermeiro enfermeira medica "
    "son daughter wife husband sister brother nurse neighbour chamado chamada named called acompanhante assinado signed"
)
"""Words before a name in a sentence, beside those for people."""

IDS = _set("id uid codigo cod code numero num nu nr no key chave pk identificador identifier index seq rowid")
CODES = _set("codigo cod code cd")
NAMES = _set("nome name nm")
FILLERS = _set("o a os as do da de dos das of the s n e")
SITES = _set("hospital clinica ubs upa posto maternidade sao santo santa cidade municipio bairro clinic saint city")
"""Words before the name of a place that may be called like a person."""

PARTICLES = _set("da de do das dos e di del della la le du van von der den bin al el y")

TOPICS: tuple[Topic, ...] = (
    # --- what names a person ---
    _identifier(Clue.CPF, 0.75, "cpf, cadastro pessoa fisica, cadastro de pessoa fisica"),
    _identifier(Clue.CNPJ, 0.75, "cnpj"),
    _identifier(Clue.EMAIL, 0.75, "email, email address, endereco email, correio eletronico"),
    _identifier(Clue.PHONE, 0.75, "telefone, fone, tel, celular, phone, phone number, mobile phone, mobile number, "
                "cellphone, whatsapp, fax, telephone"),
    _identifier(Clue.CARD, 0.75, "cartao credito, cartao de credito, credit card, card number, numero cartao, "
                "numero do cartao, credit card number, cc number"),
    _identifier(Clue.PERSON, 0.8, "nome completo, nome social, full name, first name, last name, middle name, surname, "
                "sobrenome, given name, family name, maiden name, nome mae, nome da mae, nome pai, nome do pai, "
                "mother name, father name, apelido, nickname, assinatura, signature"),
    _identifier(Clue.PERSON, 0.7, ", ".join(sorted(NAMES | PEOPLE)), weak=True),
    _identifier(Clue.IP, 0.75, "ip, ip address, endereco ip, ipv4, ipv6"),
    _identifier(Clue.URL, 0.65, "url, website, homepage, link, instagram, facebook, twitter, linkedin"),
    _identifier(Clue.UUID, 0.7, "uuid, guid"),
    _identifier(Clue.DOCUMENT, 0.8, "passport, passport number, passaporte, rg, registro geral, carteira identidade, "
                "carteira de identidade, documento, documento identidade, document number, identity card, cnh, "
                "driver license, drivers license, driving licence, titulo eleitor, titulo de eleitor, voter id, pis, "
                "pasep, nis, nit, ssn, social security, social security number, national id, nino, nif, dni, tax id, "
                "certidao, crm, coren, oab, placa, license plate, plate, renavam, chassi, vin, imei, imsi, "
                "mac address, iban, conta bancaria, conta corrente, bank account, account number, numero conta, "
                "numero da conta, pix, chave pix"),
    _identifier(Clue.CNS, 0.8, "cns, cartao sus, cartao do sus, numero sus, sus card, cartao nacional saude, "
                "cartao nacional de saude, cartao nacional, carteira sus, numero cns, health card"),
    _identifier(Clue.ADDRESS, 0.8, "endereco, logradouro, address, street, street address, home address, rua, avenida, "
                "complemento, house number, numero casa"),
    _identifier(Clue.BIOMETRIC, 0.85, "biometria, biometric, fingerprint, impressao digital, foto, photo, face id, "
                "voiceprint"),
    _identifier(Clue.KEY, 0.85, "matricula, prontuario, protocolo, mrn, medical record, medical record number, "
                "record number, record id, registration number, numero registro, numero processo, inscricao, "
                "username, user name, login, token, hash, session id, cookie, device id, policy number, apolice, "
                "numero contrato, contract number, numero notificacao, nu notific, aih, numero aih, nr aih, "
                "numero atendimento, numero do atendimento, encounter id, visit id, admission id, nhs number, "
                "hospital number, patient number, carteirinha, numero carteirinha, numero carteira, "
                "carteira convenio, carteira do convenio, member id, subscriber id"),
    _identifier(Clue.FREE_TEXT, 0.7, "observacao, observacoes, obs, comentario, comment, note, remark, descricao, "
                "description, historico, anamnese, laudo, relato, mensagem, message, transcript, texto, text, txt",
                weak=True),
    # --- what others may know ---
    _quasi(tr("age"), "idade, age, faixa etaria, age group, age range", widths=(5, 10, 20)),
    _quasi(tr("sex"), "sexo, sex, gender, genero"),
    _quasi(tr("birth"), "nascimento, data nascimento, data de nascimento, nasc, dt nasc, birth, born, dob, birthday, "
           "birthdate, birth date, date of birth, ano nascimento, yob, year of birth"),
    _quasi(Clue.POSTAL_CODE, "cep, zip, zip code, postal, postal code, post code, codigo postal", confidence=0.9),
    _quasi(tr("a place"),
           "localidade, cidade, city, municipio, municip, munic, bairro, unidade federacao, "
           "unidade da federacao, neighborhood, neighbourhood, distrito, "
           "district, uf, regiao, region, provincia, province, county, comarca, residencia, residence, town, village, "
           "povoado, comunidade, setor censitario, census tract, ibge, mun res, cod mun res, territorio"),
    _quasi(tr("a place"), "estado, state, local, location, lugar, place, zona, zone, area", confidence=0.65, weak=True),
    _quasi(tr("coordinates"), "latitude, longitude, lat, lon, lng, coordenada, coordinate", widths=(0.01, 0.1, 1)),
    _quasi(tr("occupation"),
           "ocupacao, occupation, profissao, profession, cargo, job, job title, cbo, funcao, emprego, "
           "workclass, employment, employer, empregador, empresa, company, department, departamento, lotacao"),
    _quasi(tr("education"),
           "escolaridade, escolar, turma, serie escolar, ano escolar, periodo letivo, classroom, education, "
           "educacao, grau instrucao, grau de instrucao, instrucao, schooling, "
           "escol, degree, school, escola, curso, course, university, universidade, formacao"),
    _quasi(tr("marital status"),
           "estado civil, estcivil, estciv, marital, marital status, civil status, situacao conjugal, casado, married, "
           "relationship"),
    _quasi(tr("nationality or origin"), "nacionalidade, nationality, native country, country, pais, naturalidade, "
           "citizenship, cidadania, birthplace, place of birth, local nascimento, local de nascimento, "
           "country of birth, idioma, lingua, language"),
    _quasi(tr("the household"), "filho, children, dependente, dependent, nfilhos, morador, moradores, nmoradores, "
           "household, household size, tamanho familia, "
           "family size, numero filhos, numero de filhos", confidence=0.75),
    _quasi(tr("the body"), "altura, height, estatura, peso, weight", confidence=0.5),
    _quasi(tr("a year"), "ano, year", confidence=0.6, weak=True),
    _topic(WEIGHT, Role.NON_SENSITIVE, 0.5,
           "peso amostral, peso da amostra, peso amostra, peso pos estratificacao, peso calibrado, peso pessoa, "
           "peso domicilio, peso do domicilio, peso do morador selecionado, peso morador selecionado, "
           "peso final, ponderacao, ponderador, fator expansao, fator de expansao, "
           "fator ponderacao, fator de ponderacao, sample weight, sampling weight, survey weight, design weight, "
           "person weight, household weight, final weight, weighting, expansion factor, pweight, fweight, pspwght, "
           "dweight, wtfinl, perwt"),
    _quasi(tr("the health plan"), "convenio, plano saude, plano de saude, operadora, seguradora, seguro saude, "
           "health plan, health insurance, insurance, insurer, insurance provider, payer, payor", confidence=0.75),
    _quasi(tr("where and when somebody was treated"),
           "hospital, unidade saude, unidade de saude, unidade atendimento, estabelecimento saude, "
           "estabelecimento de saude, estabelecimento, cnes, ubs, upa, posto saude, posto de saude, facility, "
           "health facility, health unit, health center, leito, enfermaria, bed, ward, "
           "data internacao, data de internacao, dt internacao, dt inter, data da internacao, dias internacao, "
           "dias de internacao, tempo internacao, tempo de internacao, carater internacao, admissao, admission, "
           "admission date, data alta, data da alta, data de alta, dt alta, dt saida, discharge date, "
           "data atendimento, data do atendimento, consulta, visit, visit date, appointment, "
           "permanencia, dias permanencia, dias de permanencia, length of stay, los, dt notific, data notificacao, "
           "data da notificacao, sin pri", confidence=0.7),
    # --- what must not be learnt about a person ---
    _sensitive(tr("racial or ethnic origin"),
               "raca, race, raca cor, cor raca, cor da pele, skin color, etnia, ethnicity, "
               "ethnic, ethnic group, indigena, quilombola", confidence=0.75,
               why=tr("{law}; make it a quasi-identifier if others can see it", law=_LAW)),
    _sensitive(tr("colour, perhaps of the skin"), "cor", confidence=0.5, weak=True),
    _sensitive(tr("religion or belief"), "religiao, religion, religious, crenca, faith, belief, credo, igreja, church"),
    _sensitive(tr("political opinion"), "partido, partido politico, political, political party, opiniao politica, "
               "political opinion, filiacao politica, filiacao partidaria, voto, vote, votou, voted, intencao de voto, "
               "eleicao, election, democracia, democracy, ideologia, ideology"),
    _sensitive(tr("union membership"), "sindicato, sindical, sindicalizado, filiacao sindical, trade union, "
               "union membership"),
    _sensitive(tr("sexual life"), "orientacao sexual, sexual orientation, vida sexual, sex life, sexual, "
               "identidade genero, identidade de genero, gender identity, lgbt, transgender"),
    _sensitive(tr("genetic data"), "genetic, genetico, genetica, dna, genoma, genome, genotype, genotipo, mutation, "
               "mutacao, brca"),
    _sensitive(tr("health"),
               "saude, health, doenca, disease, diagnostico, diagnosis, cid, icd, cid 10, icd 10, sintoma, "
               "symptom, comorbidade, comorbidity, medicamento, medication, remedio, prescricao, prescription, "
               "tratamento, treatment, terapia, therapy, cirurgia, surgery, resultado exame, resultado do exame, "
               "resultado teste, resultado do teste, test result, lab result, hiv, aids, covid, sifilis, syphilis, "
               "tuberculose, hepatite, cancer, tumor, diabetes, hipertensao, hypertension, asma, asthma, obesidade, "
               "vacina, vaccine, vaccination, tipo sanguineo, blood type, blood pressure, pressao arterial, glicose, "
               "glucose, colesterol, cholesterol, hba1c, imc, bmi, gestante, gravidez, pregnant, pregnancy, "
               "deficiencia, necessidade especial, necessidades especiais, special needs, disability, pcd, "
               "transtorno, disorder, depressao, depression, alergia, allergy, fumante, "
               "smoker, smoking, tabagismo, alcoolismo, alcoholism, obito, death, deceased, died, mortality, "
               "mortalidade, falecido, falecimento, faleceu, causa obito, causa do obito, motivo alta, motivo da alta, "
               "tipo alta, tipo de alta, condicao alta, discharge status, discharge disposition, medicacao, farmaco, "
               "dose, agravo, queixa, queixa principal, chief complaint, motivo consulta, motivo da consulta, "
               "comorbidities, glicemia, apgar, idade gestacional, gestational age, gestant, puerpera, puerperio, "
               "grupo sanguineo, blood group, grupo abo, fator risco, fator de risco, fator risc, risk factor, "
               "peso nascer, peso ao nascer, birth weight, sigtap, classi fin, classificacao final, triagem, triage, "
               "hospitalizado, hospitalized, hospitalised, intubado, ventilacao, ventilation, "
               "cause of death, causa bas, internacao, uti, icu, suicidio, suicide, aborto, abortion"),
    _sensitive(tr("a result, perhaps of an exam"), "resultado, result, exame, exam, teste, test, desfecho, outcome, "
               "evolucao, situacao, procedimento, procedure, drug, condition, condicao, alta, discharge, criterio, "
               "pressao, pressure", confidence=0.5, weak=True),
    _sensitive(tr("the medical specialty, which may tell the disease"), "especialidade, especialidade medica, clinica, "
               "specialty, speciality, medical specialty, clinic", confidence=0.5, weak=True),
    _sensitive(tr("money"), "salario, salary, salary class, renda, income, remuneracao, wage, patrimonio, wealth, "
               "net worth, divida, debt, saldo, balance, credit score, score credito, emprestimo, loan, inadimplente, "
               "bonus, pension, pensao, aposentadoria, beneficio, benefit, bolsa familia, auxilio, capital gain, "
               "capital loss, inadimplencia, delinquent, delinquency, arrears, days past due, overdue, bankruptcy, "
               "falencia", why=_PRIVATE),
    _sensitive(tr("money, perhaps of a debt that was not paid"), "default, defaulted", confidence=0.5, why=_PRIVATE,
               weak=True),
    _sensitive(tr("marks, perhaps at school"), "nota, media, conceito, boletim, rendimento escolar, aprovado, "
               "aprovacao, grade, gpa, exam score, test score, matematica, math, mathematics, portugues, redacao, "
               "historia, history, geografia, geography, ciencias, science, fisica, physics, quimica, chemistry, "
               "biologia, biology, ingles, faltas, absences, attendance", confidence=0.5, why=_PRIVATE, weak=True),
    _sensitive(tr("crime, offence or violence"),
               "violencia, violence, agressao, assault, crime, criminal, criminal record, antecedentes, condenacao, "
               "conviction, prisao, arrest, ficha criminal, infracao, multa, offense, offence", why=_PRIVATE),
)  # fmt: skip

_BY_WORD = {word: topic for topic in reversed(TOPICS) for word in topic.words}

GIVEN_NAMES = _set(
    "adriana adriano alan alessandra alex alexandre alice aline amanda ana anderson andre andrea andreia "
    "angela antonia antonio arthur augusto barbara beatriz benedita bernardo breno bruna bruno caio camila "
    "carla carlos carolina catarina cecilia celia claudia claudio clara cristiane cristina daniel daniela "
    "danilo davi david debora denise diego diogo douglas eduarda eduardo elaine elias elisa elizabeth emanuel "
    "enzo erica fabiana fabio felipe fernanda fernando flavia flavio francisca francisco gabriel gabriela "
    "geraldo gilberto giovanna guilherme gustavo heitor helena henrique hugo igor isabel isabela isadora ivan "
    "jaqueline jessica joana joao joaquim jorge jose josefa julia juliana julio karina larissa laura leandro "
    "leonardo leticia lucas lucia luciana luciano luis luiz luiza luzia manoel manuel manuela marcela marcelo "
    "marcia marcio marcos maria mariana marina mario marta mateus matheus mauricio mayara melissa miguel "
    "milena monica murilo natalia nathalia nicolas olivia otavio patricia paula paulo pedro priscila rafael "
    "rafaela raimunda raimundo raquel raul rebeca regina renan renata renato ricardo rita roberta roberto "
    "rodrigo rogerio rosa rosana samuel sandra sara sebastiana sebastiao sergio severino silvia simone sofia "
    "sonia sophia tatiana teresa terezinha thais thiago tiago valentina valeria vanessa vera veronica vicente "
    "victor vinicius vitor vitoria viviane wagner wesley william yasmin yuri james mary robert jennifer john "
    "linda michael richard susan joseph thomas charles christopher lisa nancy matthew betty anthony margaret "
    "mark donald steven emily paul ashley andrew kimberly joshua donna kenneth michelle kevin carol brian "
    "george edward deborah ronald stephanie timothy rebecca jason sharon jeffrey ryan jacob kathleen gary amy "
    "nicholas shirley eric jonathan stephen anna larry brenda justin pamela scott emma nicole brandon benjamin "
    "samantha katherine gregory christine frank janet raymond catherine jack dennis heather jerry diane tyler "
    "ruth aaron julie henry peter adam kelly nathan lauren noah oliver liam mia charlotte grace jane rachel"
)
"""Common given names of Brazil and of English-speaking countries, without accents."""


ORDINARY = _set(
    "rosa clara vitoria gloria luz graca dores conceicao socorro penha aparecida margarida violeta iris sol cruz pilar "
    "assuncao natividade mercedes linda estrela serena jesus mark grace faith hope joy may june april will bill frank "
    "rose dawn summer heather amber ruby carol pat sue jack scott art gene guy rich drew chase"
)
"""Given names that are ordinary words, too."""


def plain(text: str) -> str:
    """Lower case without accents.

    >>> plain("São José")
    'sao jose'
    """
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c)).lower()


def words_of(name: str) -> tuple[str, ...]:
    """The words of a column's name.

    >>> words_of("dataNascimento"), words_of("Raça/Cor"), words_of("CPFPaciente2")
    (('data', 'nascimento'), ('raca', 'cor'), ('cpf', 'paciente', '2'))
    """
    unaccented = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    spaced = re.sub(r"([a-z0-9])([A-Z])|([A-Z]{2,})(?=[A-Z][a-z]{2})", r"\1\3 \2", unaccented)
    return tuple(re.findall("[a-z]+|[0-9]+", spaced.lower()))


def topic_of(name: str) -> Topic | None:
    """What a column's name speaks of: of several topics the one with the longest words, weak words last.

    >>> topic_of("Estado Civil").about, topic_of("nome_municipio").about, topic_of("language").about
    ('marital status', 'a place', 'nationality or origin')
    >>> topic_of("x1") is None
    True
    """
    words = words_of(name)
    found: list[tuple[bool, int, Topic]] = []
    for start in range(len(words)):
        for end in range(start + 1, min(start + 5, len(words)) + 1):
            run = "".join(words[start:end])
            topic = _BY_WORD.get(run) or _BY_WORD.get(run.removesuffix("s"))
            if topic:
                found.append((not topic.weak, len(run), topic))
    return max(found, key=lambda candidate: candidate[:2])[2] if found else None
