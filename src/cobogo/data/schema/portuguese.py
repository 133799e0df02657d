"""What suggestions say, in Portuguese. Reasons are made of fixed phrases, and so can be said again phrase by phrase."""

from __future__ import annotations

import re
from collections.abc import Mapping

_TYPES = {
    "integer": "inteiro", "decimal": "decimal", "date": "data", "boolean": "sim ou não", "category": "categoria",
    "text": "texto", "empty": "vazia", "decimal comma": "vírgula decimal",
}  # fmt: skip

_CLUES = {
    "CPF": "CPF",
    "CNPJ": "CNPJ",
    "e-mail address": "endereço de e-mail",
    "phone number": "número de telefone",
    "payment card": "cartão de pagamento",
    "name of a person": "nome de pessoa",
    "date": "data",
    "postal code": "código postal",
    "IP address": "endereço IP",
    "web address": "endereço da web",
    "UUID": "UUID",
    "identity document or registered number": "documento de identidade ou número de registro",
    "health card (CNS)": "cartão de saúde (CNS)",
    "address": "endereço",
    "biometric data": "dado biométrico",
    "key": "chave",
    "free text": "texto livre",
}

_TOPICS = {
    "age": "idade",
    "sex": "sexo",
    "birth": "nascimento",
    "postal code": "código postal",
    "a place": "um lugar",
    "coordinates": "coordenadas",
    "occupation": "ocupação",
    "education": "escolaridade",
    "marital status": "estado civil",
    "nationality or origin": "nacionalidade ou origem",
    "the household": "família e domicílio",
    "the body": "corpo",
    "a year": "um ano",
    "racial or ethnic origin": "origem racial ou étnica",
    "colour, perhaps of the skin": "cor, talvez da pele",
    "religion or belief": "religião ou crença",
    "political opinion": "opinião política",
    "union membership": "filiação sindical",
    "sexual life": "vida sexual",
    "genetic data": "dados genéticos",
    "health": "saúde",
    "a result, perhaps of an exam": "um resultado, talvez de um exame",
    "money": "dinheiro",
    "crime or offence": "crime ou infração",
}

_PHRASES = {
    "which others may know": "que outros podem conhecer",
    "personal data that LGPD art. 5 II and GDPR art. 9 call sensitive": (
        "dado pessoal que a LGPD (art. 5º, II) e o GDPR (art. 9) chamam de sensível"
    ),
    "make it a quasi-identifier if others can see it": "faça dela um semi-identificador se outros podem vê-la",
    "a matter that people keep to themselves": "assunto que as pessoas guardam para si",
    "it is the same in every record, which no recoding can hide: better leave it out": (
        "é igual em todos os registros, o que nenhuma recodificação esconde: melhor deixá-la fora"
    ),
    "the column's name says so, and ": "o nome da coluna diz isso, e ",
    " % of its values ": " % dos valores ",
    "have the check digits of a CPF": "têm os dígitos verificadores de um CPF",
    "are written like a CPF": "estão escritos como um CPF",
    "have the digits of a CPF, though not all checks hold": "têm os dígitos de um CPF, embora nem todos confiram",
    "have the check digits of a CNPJ": "têm os dígitos verificadores de um CNPJ",
    "are written like a CNPJ": "estão escritos como um CNPJ",
    "are e-mail addresses": "são endereços de e-mail",
    "are written like phone numbers": "estão escritos como números de telefone",
    "have the digits of a Brazilian phone number": "têm os dígitos de um telefone brasileiro",
    "have the digits of a phone number without area code": "têm os dígitos de um telefone sem DDD",
    "have the length, range and check of a payment card": (
        "têm o comprimento, a faixa e a verificação de um cartão de pagamento"
    ),
    "have the fifteen digits and the check of a health card": (
        "têm os quinze dígitos e a verificação de um cartão de saúde"
    ),
    "are written like social security numbers": "estão escritos como números da previdência dos Estados Unidos",
    "are written like postal codes": "estão escritos como códigos postais",
    "could be postal codes": "podem ser códigos postais",
    "are IP addresses": "são endereços IP",
    "are web addresses": "são endereços da web",
    "are UUIDs": "são UUIDs",
    "begin or end like street addresses": "começam ou terminam como endereços de rua",
    "a birth date: the column's name says so, and its values are full dates": (
        "data de nascimento: o nome da coluna diz isso, e os valores são datas completas"
    ),
    "its values are full dates, which others may know of a person": (
        "os valores são datas completas, que outros podem conhecer de uma pessoa"
    ),
    "its values are dates, which others may know of a person": (
        "os valores são datas, que outros podem conhecer de uma pessoa"
    ),
    "its values look like full names, and ": "os valores parecem nomes completos, e ",
    " % of them begin with a given name": " % deles começam com um prenome",
    "its values are capitalised words, as names of people are, and few repeat": (
        "os valores são palavras com maiúscula, como nomes de pessoas, e poucos se repetem"
    ),
    "its values look like names of people": "os valores parecem nomes de pessoas",
    "the column's name may say so; its values could be names of people or not": (
        "o nome da coluna talvez diga isso; os valores podem ser nomes de pessoas ou não"
    ),
    "the column's name says so; its values do not look like full names": (
        "o nome da coluna diz isso; os valores não parecem nomes completos"
    ),
    "the column's name may say so; its values do not look like names of people": (
        "o nome da coluna talvez diga isso; os valores não parecem nomes de pessoas"
    ),
    "the column's name says that it numbers people or records": (
        "o nome da coluna diz que ela numera pessoas ou registros"
    ),
    "the column's name says that it numbers people": "o nome da coluna diz que ela numera pessoas",
    "the column's name is that of a key": "o nome da coluna é o de uma chave",
    " % of its records have a code of their own": " % dos registros têm um código só seu",
    "the column's name has a word for a key, and ": "o nome da coluna tem uma palavra de chave, e ",
    "it numbers the records without gaps": "numera os registros sem lacunas",
    ", all of the same form": ", todos da mesma forma",
    "its values are sentences; free text may contain anything: review it": (
        "os valores são frases; texto livre pode conter qualquer coisa: revise"
    ),
    "the column's name says so; free text may contain anything: review it": (
        "o nome da coluna diz isso; texto livre pode conter qualquer coisa: revise"
    ),
    "the column's name says so; it has no values": "o nome da coluna diz isso; ela não tem valores",
    "the column's name says so; its few values rather do not": (
        "o nome da coluna diz isso; os poucos valores, nem tanto"
    ),
    "the column's name says so; its values do not show it": "o nome da coluna diz isso; os valores não mostram",
    "; judged on its ": "; julgada pelos seus ",
    " most frequent values": " valores mais frequentes",
    "it has no values to judge by, and its name says nothing: left out": (
        "não tem valores para julgar, e o nome nada diz: fica de fora"
    ),
    "it is the same in every record, so it tells nobody apart": (
        "é igual em todos os registros, e não distingue ninguém"
    ),
    "free text may contain anything; review it. In doubt it is left out": (
        "texto livre pode conter qualquer coisa; revise. Na dúvida, fica de fora"
    ),
    "nothing says what it is; in doubt others may know it, so it is recoded": (
        "nada diz o que é; na dúvida, outros podem conhecê-la, e por isso é recodificada"
    ),
    "; blanks around its values stand in the way of a hierarchy": (
        "; espaços em volta dos valores impedem uma hierarquia"
    ),
    "; that the day comes before the month is assumed": "; supõe-se que o dia vem antes do mês",
}

_KNOWN: Mapping[str, str] = _PHRASES | {
    f"its name speaks of {about}, ": f"o nome fala de {said}, " for about, said in _TOPICS.items()
}
_ANY = re.compile("|".join(re.escape(phrase) for phrase in sorted(_KNOWN, key=len, reverse=True)))


def reason_in_portuguese(reason: str) -> str:
    """The reason of a suggestion. A phrase without a translation stays as it is.

    >>> reason_in_portuguese("e-mail address: 100 % of its values are e-mail addresses")
    'endereço de e-mail: 100 % dos valores são endereços de e-mail'
    >>> reason_in_portuguese("its name speaks of age, which others may know; judged on its 2,000 most frequent values")
    'o nome fala de idade, que outros podem conhecer; julgada pelos seus 2.000 valores mais frequentes'
    """
    clue, colon, rest = reason.partition(": ")
    if colon and clue in _CLUES:
        return f"{_CLUES[clue]}: {reason_in_portuguese(rest)}"
    said = _ANY.sub(lambda found: _KNOWN[found[0]], reason)
    return re.sub(r"(?<=[0-9]),(?=[0-9]{3})", ".", said)


def type_in_portuguese(kind: str) -> str:
    """The type of a column.

    >>> type_in_portuguese("decimal (decimal comma)"), type_in_portuguese("date (%d/%m/%Y)")
    ('decimal (vírgula decimal)', 'data (%d/%m/%Y)')
    """
    name, bracket, detail = kind.partition(" (")
    known = _TYPES.get(name, name)
    return f"{known} ({_TYPES.get(detail[:-1], detail[:-1])})" if bracket else known
