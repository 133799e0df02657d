"""Fortaleza as a handful of facts: its bairros, its outline and coast, where people work, study and go.

Centres are recalled rather than surveyed, and off by about 490 m (median); with borders halfway between them, 51 % of
random places are in the right bairro. Residents are those of `words.places`; the outline is drawn by hand. Good
for examples and pictures, not for citing and not for navigation.
"""

from __future__ import annotations

CENTRES: dict[str, tuple[float, float]] = {
    "Aerolândia": (-38.5130, -3.7740), "Aeroporto": (-38.5330, -3.7750), "Aldeota": (-38.5010, -3.7400),
    "Alto da Balança": (-38.5190, -3.7690), "Álvaro Weyne": (-38.5680, -3.7200), "Amadeu Furtado": (-38.5560, -3.7440),
    "Ancuri": (-38.5060, -3.8650), "Antônio Bezerra": (-38.5870, -3.7370), "Aracapé": (-38.5840, -3.8350),
    "Autran Nunes": (-38.5950, -3.7490), "Barra do Ceará": (-38.5830, -3.7010), "Barroso": (-38.5170, -3.8210),
    "Bela Vista": (-38.5620, -3.7550), "Benfica": (-38.5380, -3.7420), "Boa Vista": (-38.5290, -3.8010),
    "Bom Futuro": (-38.5390, -3.7520), "Bom Jardim": (-38.6020, -3.7950), "Bonsucesso": (-38.5830, -3.7790),
    "Cais do Porto": (-38.4720, -3.7150), "Cajazeiras": (-38.5140, -3.8050), "Cambeba": (-38.4850, -3.8070),
    "Canindezinho": (-38.6000, -3.8070), "Carlito Pamplona": (-38.5590, -3.7190), "Centro": (-38.5270, -3.7275),
    "Cidade 2000": (-38.4680, -3.7510), "Cidade dos Funcionários": (-38.4990, -3.7930), "Coaçu": (-38.4790, -3.8560),
    "Cocó": (-38.4830, -3.7480), "Conjunto Ceará I": (-38.6040, -3.7700), "Conjunto Ceará II": (-38.6080, -3.7770),
    "Conjunto Esperança": (-38.5830, -3.8060), "Conjunto Palmeiras": (-38.5230, -3.8540),
    "Couto Fernandes": (-38.5630, -3.7610), "Cristo Redentor": (-38.5680, -3.7070), "Curió": (-38.4680, -3.8330),
    "Damas": (-38.5480, -3.7560), "De Lourdes": (-38.4690, -3.7400), "Demócrito Rocha": (-38.5630, -3.7670),
    "Dendê": (-38.5500, -3.7970), "Dias Macedo": (-38.5250, -3.7880), "Dionísio Torres": (-38.5060, -3.7500),
    "Dom Lustosa": (-38.5850, -3.7500), "Edson Queiroz": (-38.4770, -3.7720),
    "Engenheiro Luciano Cavalcante": (-38.4890, -3.7790), "Farias Brito": (-38.5440, -3.7340),
    "Fátima": (-38.5270, -3.7500), "Floresta": (-38.5770, -3.7200), "Genibaú": (-38.5990, -3.7580),
    "Granja Lisboa": (-38.6130, -3.7890), "Granja Portugal": (-38.5960, -3.7860), "Guajeru": (-38.4770, -3.8420),
    "Guararapes": (-38.4890, -3.7660), "Henrique Jorge": (-38.5880, -3.7570), "Itaoca": (-38.5490, -3.7750),
    "Itaperi": (-38.5560, -3.7900), "Jacarecanga": (-38.5430, -3.7230), "Jangurussu": (-38.5210, -3.8400),
    "Jardim América": (-38.5440, -3.7500), "Jardim Cearense": (-38.5620, -3.8050),
    "Jardim das Oliveiras": (-38.5030, -3.7830), "Jardim Guanabara": (-38.5860, -3.7125),
    "Jardim Iracema": (-38.5770, -3.7130), "João XXIII": (-38.5840, -3.7660), "Joaquim Távora": (-38.5140, -3.7440),
    "Jóquei Clube": (-38.5760, -3.7640), "José Bonifácio": (-38.5290, -3.7410), "José de Alencar": (-38.4750, -3.8170),
    "Lagoa Redonda": (-38.4480, -3.8190), "Manuel Dias Branco": (-38.4570, -3.7600), "Maraponga": (-38.5690, -3.7970),
    "Meireles": (-38.4970, -3.7280), "Messejana": (-38.4940, -3.8300), "Mondubim": (-38.5770, -3.8150),
    "Monte Castelo": (-38.5540, -3.7270), "Montese": (-38.5440, -3.7650), "Moura Brasil": (-38.5360, -3.7195),
    "Mucuripe": (-38.4850, -3.7270), "Novo Mondubim": (-38.5820, -3.8260), "Olavo Oliveira": (-38.5940, -3.7400),
    "Padre Andrade": (-38.5790, -3.7370), "Panamericano": (-38.5690, -3.7640), "Papicu": (-38.4790, -3.7380),
    "Parangaba": (-38.5590, -3.7760), "Parque Araxá": (-38.5510, -3.7400), "Parque Dois Irmãos": (-38.5520, -3.8170),
    "Parque Iracema": (-38.4960, -3.8060), "Parque Manibura": (-38.4890, -3.7930),
    "Parque Presidente Vargas": (-38.5960, -3.8230), "Parque Santa Maria": (-38.5020, -3.8500),
    "Parque Santa Rosa": (-38.5890, -3.8130), "Parque São José": (-38.5920, -3.7970),
    "Parquelândia": (-38.5600, -3.7390), "Parreão": (-38.5360, -3.7570), "Passaré": (-38.5370, -3.8110),
    "Paupina": (-38.4860, -3.8680), "Pedras": (-38.5170, -3.8770), "Pici": (-38.5730, -3.7490),
    "Pirambu": (-38.5560, -3.7110), "Planalto Ayrton Senna": (-38.5690, -3.8390),
    "Praia de Iracema": (-38.5120, -3.7210), "Praia do Futuro I": (-38.4590, -3.7350),
    "Praia do Futuro II": (-38.4490, -3.7530), "Prefeito José Walter": (-38.5530, -3.8310),
    "Presidente Kennedy": (-38.5690, -3.7310), "Quintino Cunha": (-38.5990, -3.7320),
    "Rodolfo Teófilo": (-38.5530, -3.7500), "Sabiaguaba": (-38.4280, -3.7960), "Salinas": (-38.4980, -3.7680),
    "São Bento": (-38.4660, -3.8480), "São Gerardo": (-38.5570, -3.7340), "São João do Tauape": (-38.5100, -3.7600),
    "Sapiranga-Coité": (-38.4620, -3.7990), "Serrinha": (-38.5430, -3.7870), "Siqueira": (-38.6120, -3.8040),
    "Varjota": (-38.4900, -3.7345), "Vicente Pinzón": (-38.4690, -3.7280), "Vila Ellery": (-38.5640, -3.7270),
    "Vila Manoel Sátiro": (-38.5790, -3.7970), "Vila Peri": (-38.5690, -3.7870), "Vila União": (-38.5310, -3.7650),
    "Vila Velha": (-38.5960, -3.7170),
}  # fmt: skip
"""The middle of each bairro: longitude and latitude."""

COAST: tuple[tuple[float, float], ...] = (
    (-38.5945, -3.6955), (-38.5900, -3.6935), (-38.5820, -3.6950), (-38.5750, -3.6985), (-38.5670, -3.7025),
    (-38.5600, -3.7060), (-38.5520, -3.7100), (-38.5450, -3.7140), (-38.5350, -3.7160), (-38.5280, -3.7175),
    (-38.5220, -3.7190), (-38.5160, -3.7180), (-38.5100, -3.7190), (-38.5050, -3.7220), (-38.4980, -3.7240),
    (-38.4920, -3.7240), (-38.4870, -3.7220), (-38.4830, -3.7180), (-38.4790, -3.7130), (-38.4750, -3.7090),
    (-38.4690, -3.7060), (-38.4650, -3.7085), (-38.4620, -3.7140), (-38.4585, -3.7220), (-38.4550, -3.7310),
    (-38.4510, -3.7400), (-38.4460, -3.7510), (-38.4400, -3.7620), (-38.4340, -3.7710), (-38.4285, -3.7790),
    (-38.4220, -3.7880), (-38.4160, -3.7960), (-38.4110, -3.8030), (-38.4060, -3.8110), (-38.4010, -3.8200),
    (-38.3960, -3.8290),
)  # fmt: skip
"""Where the sea begins, from the mouth of the Ceará in the west to that of the Pacoti in the east."""

INLAND: tuple[tuple[float, float], ...] = (
    (-38.4050, -3.8370), (-38.4200, -3.8390), (-38.4320, -3.8440), (-38.4430, -3.8510), (-38.4550, -3.8620),
    (-38.4680, -3.8720), (-38.4800, -3.8830), (-38.5000, -3.8880), (-38.5200, -3.8900), (-38.5350, -3.8820),
    (-38.5370, -3.8680), (-38.5500, -3.8560), (-38.5680, -3.8520), (-38.5860, -3.8460), (-38.6000, -3.8330),
    (-38.6120, -3.8220), (-38.6260, -3.8140), (-38.6340, -3.8000), (-38.6300, -3.7850), (-38.6190, -3.7760),
    (-38.6150, -3.7610), (-38.6080, -3.7490), (-38.6100, -3.7360), (-38.6120, -3.7230), (-38.6060, -3.7100),
    (-38.6000, -3.7010),
)  # fmt: skip
"""The rest of the municipality's limits, on from the mouth of the Pacoti and back to that of the Ceará."""

OUTLINE = COAST + INLAND
"""The municipality, as a closed ring whose first point is not repeated."""

JOBS = {
    "Centro": 100, "Aldeota": 75, "Meireles": 45, "Papicu": 22, "Edson Queiroz": 24, "Cocó": 16, "Dionísio Torres": 16,
    "Joaquim Távora": 15, "Fátima": 16, "Benfica": 15, "Montese": 18, "Parangaba": 20, "Messejana": 20,
    "Antônio Bezerra": 14, "Jacarecanga": 18, "Cais do Porto": 16, "Vicente Pinzón": 6, "Mucuripe": 10, "Varjota": 10,
    "Praia de Iracema": 10, "São Gerardo": 12, "Carlito Pamplona": 9, "Álvaro Weyne": 7, "Aeroporto": 9,
    "Cambeba": 12, "Engenheiro Luciano Cavalcante": 11, "Guararapes": 8, "Pici": 9, "Itaperi": 6, "Maraponga": 7,
    "Mondubim": 8, "Passaré": 8, "Barra do Ceará": 7, "Farias Brito": 8, "Rodolfo Teófilo": 9, "José Bonifácio": 8,
    "Cajazeiras": 6, "Praia do Futuro II": 5, "Ancuri": 6, "Siqueira": 5,
}  # fmt: skip
"""How much work draws people to a bairro: the centre and the east, the sub-centres, the port and the old industries."""

PLACES: tuple[tuple[str, str, float, float], ...] = (
    ("university", "UFC Benfica", -38.5388, -3.7417), ("university", "UFC Pici", -38.5745, -3.7460),
    ("university", "UECE Itaperi", -38.5560, -3.7890), ("university", "Unifor", -38.4755, -3.7690),
    ("university", "IFCE", -38.5377, -3.7447), ("university", "UFC Porangabuçu", -38.5535, -3.7495),
    ("clinic", "Instituto Dr. José Frota", -38.5283, -3.7327), ("clinic", "Hospital Geral", -38.4795, -3.7400),
    ("clinic", "Hospital das Clínicas", -38.5530, -3.7490), ("clinic", "Hospital de Messejana", -38.5010, -3.8240),
    ("clinic", "Hospital São José", -38.5560, -3.7480), ("clinic", "Santa Casa", -38.5265, -3.7215),
    ("clinic", "Frotinha de Parangaba", -38.5620, -3.7760),
    ("clinic", "Frotinha do Antônio Bezerra", -38.5880, -3.7360),
    ("clinic", "Gonzaguinha da Barra", -38.5820, -3.7020), ("clinic", "Gonzaguinha do José Walter", -38.5530, -3.8270),
    ("clinic", "Oncology clinic", -38.5120, -3.7480), ("clinic", "Dialysis clinic", -38.5060, -3.7420),
    ("clinic", "Mental health centre", -38.5390, -3.7470),
    ("clinic", "Clinic of the Conjunto Ceará", -38.6060, -3.7740),
    ("shops", "Iguatemi", -38.4905, -3.7555), ("shops", "North Shopping", -38.5660, -3.7350),
    ("shops", "Riomar Papicu", -38.4735, -3.7410), ("shops", "Riomar Kennedy", -38.5710, -3.7315),
    ("shops", "Via Sul", -38.4925, -3.8040), ("shops", "Shopping Parangaba", -38.5640, -3.7750),
    ("shops", "Shopping Benfica", -38.5385, -3.7400), ("shops", "Shopping Aldeota", -38.4990, -3.7365),
    ("shops", "Mercado Central", -38.5240, -3.7220), ("shops", "Mercado São Sebastião", -38.5380, -3.7290),
    ("shops", "Market of Messejana", -38.4930, -3.8310), ("shops", "Market of the José Walter", -38.5540, -3.8300),
    ("beach", "Beira-Mar", -38.4950, -3.7260), ("beach", "Praia do Futuro", -38.4535, -3.7380),
    ("beach", "Praia de Iracema", -38.5130, -3.7205), ("beach", "Sabiaguaba", -38.4310, -3.7800),
    ("beach", "Barra do Ceará", -38.5890, -3.6960),
    ("park", "Parque do Cocó", -38.4840, -3.7530), ("park", "Lagoa da Messejana", -38.4900, -3.8330),
    ("park", "Lagoa da Parangaba", -38.5650, -3.7790), ("park", "Parque Rio Branco", -38.5130, -3.7480),
    ("park", "Cidade da Criança", -38.5265, -3.7320), ("park", "Lagoa do Opaia", -38.5310, -3.7690),
    ("stadium", "Castelão", -38.5225, -3.8070), ("stadium", "Presidente Vargas", -38.5335, -3.7465),
    ("culture", "Dragão do Mar", -38.5200, -3.7215), ("culture", "Theatro José de Alencar", -38.5300, -3.7285),
    ("transport", "Terminal de Parangaba", -38.5625, -3.7765), ("transport", "Terminal do Papicu", -38.4845, -3.7375),
    ("transport", "Airport", -38.5370, -3.7760), ("transport", "Bus station", -38.5320, -3.7530),
)  # fmt: skip
"""Points of interest, as kind, name, longitude and latitude. Schools and small clinics are made up."""
