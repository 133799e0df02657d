"""Where the people of Ceará live: the bairros of its capital, its 184 municipalities, and how race varies by place.

Counts are residents, after the census of 2022, rounded and in part recalled rather than looked up: good for weights,
not for citing. Outside the capital a municipality has its population, the percentage of it that is simply
"Zona Rural", and the names of its main bairros and districts, the larger ones first.
"""

from __future__ import annotations

FORTALEZA = {
    "Aerolândia": 10_500, "Aeroporto": 8_000, "Aldeota": 40_000, "Alto da Balança": 12_000, "Álvaro Weyne": 20_500,
    "Amadeu Furtado": 11_000, "Ancuri": 22_500, "Antônio Bezerra": 24_000, "Aracapé": 18_900, "Autran Nunes": 17_500,
    "Barra do Ceará": 63_500, "Barroso": 29_000, "Bela Vista": 16_000, "Benfica": 8_700, "Boa Vista": 13_500,
    "Bom Futuro": 5_300, "Bom Jardim": 35_500, "Bonsucesso": 35_800, "Cais do Porto": 19_500, "Cajazeiras": 14_800,
    "Cambeba": 8_500, "Canindezinho": 37_500, "Carlito Pamplona": 23_700, "Centro": 25_500, "Cidade 2000": 7_800,
    "Cidade dos Funcionários": 18_500, "Coaçu": 7_800, "Cocó": 21_500, "Conjunto Ceará I": 17_500,
    "Conjunto Ceará II": 21_500, "Conjunto Esperança": 16_500, "Conjunto Palmeiras": 28_200, "Couto Fernandes": 4_600,
    "Cristo Redentor": 21_500, "Curió": 8_000, "Damas": 10_000, "De Lourdes": 2_300, "Demócrito Rocha": 10_500,
    "Dendê": 13_500, "Dias Macedo": 12_500, "Dionísio Torres": 15_800, "Dom Lustosa": 13_500, "Edson Queiroz": 22_000,
    "Engenheiro Luciano Cavalcante": 17_500, "Farias Brito": 11_000, "Fátima": 23_500, "Floresta": 24_000,
    "Genibaú": 35_500, "Granja Lisboa": 63_400, "Granja Portugal": 35_000, "Guajeru": 7_500, "Guararapes": 8_000,
    "Henrique Jorge": 24_000, "Itaoca": 11_500, "Itaperi": 22_500, "Jacarecanga": 14_000, "Jangurussu": 70_700,
    "Jardim América": 11_500, "Jardim Cearense": 11_000, "Jardim das Oliveiras": 26_500, "Jardim Guanabara": 14_000,
    "Jardim Iracema": 20_500, "João XXIII": 17_000, "Joaquim Távora": 22_000, "Jóquei Clube": 17_500,
    "José Bonifácio": 8_500, "José de Alencar": 17_500, "Lagoa Redonda": 29_500, "Manuel Dias Branco": 16_000,
    "Maraponga": 11_500, "Meireles": 36_500, "Messejana": 43_200, "Mondubim": 62_400, "Monte Castelo": 12_500,
    "Montese": 24_000, "Moura Brasil": 3_000, "Mucuripe": 14_500, "Novo Mondubim": 18_500, "Olavo Oliveira": 13_000,
    "Padre Andrade": 12_300, "Panamericano": 8_500, "Papicu": 19_000, "Parangaba": 29_000, "Parque Araxá": 6_100,
    "Parque Dois Irmãos": 27_500, "Parque Iracema": 9_000, "Parque Manibura": 5_900, "Parque Presidente Vargas": 7_500,
    "Parque Santa Maria": 14_000, "Parque Santa Rosa": 12_500, "Parque São José": 10_800, "Parquelândia": 13_800,
    "Parreão": 10_500, "Passaré": 54_900, "Paupina": 26_500, "Pedras": 17_100, "Pici": 38_000, "Pirambu": 15_500,
    "Planalto Ayrton Senna": 38_500, "Praia de Iracema": 3_000, "Praia do Futuro I": 4_300,
    "Praia do Futuro II": 11_500, "Prefeito José Walter": 53_500, "Presidente Kennedy": 21_000,
    "Quintino Cunha": 42_500, "Rodolfo Teófilo": 17_000, "Sabiaguaba": 3_500, "Salinas": 4_800, "São Bento": 12_500,
    "São Gerardo": 14_000, "São João do Tauape": 24_500, "Sapiranga-Coité": 31_000, "Serrinha": 27_000,
    "Siqueira": 45_500, "Varjota": 8_800, "Vicente Pinzón": 46_200, "Vila Ellery": 7_500, "Vila Manoel Sátiro": 8_000,
    "Vila Peri": 18_500, "Vila União": 13_500, "Vila Velha": 52_900,
}  # fmt: skip
"""The bairros of the capital and their residents."""

OTHERS: dict[str, tuple[int, int, str]] = {
    "Abaiara": (10_000, 50, "Centro, São José"),
    "Acarape": (14_000, 40, "Centro, São Benedito"),
    "Acaraú": (64_800, 35, "Centro, Juritianha, Aranaú, Lagoa do Carneiro, Santa Fé"),
    "Acopiara": (45_000, 35, "Centro, Quincoê, Trussu, Ebron, Santo Antônio, São Paulinho, Isidoro, Santa Felícia"),
    "Aiuaba": (14_100, 60, "Centro, Barra"),
    "Alcântaras": (11_400, 55, "Centro, Ventura"),
    "Altaneira": (6_800, 25, "Centro, São Romão"),
    "Alto Santo": (14_200, 45, "Centro, Castanhão"),
    "Amontada": (42_200, 40, "Centro, Icaraí, Aracatiara, Nascente, Moitas, Lagoa Grande, Sabiaguaba"),
    "Antonina do Norte": (7_200, 30, "Centro, Tabuleiro"),
    "Apuiarés": (12_900, 40, "Centro, Canafístula, Vila Soares"),
    "Aquiraz": (
        80_200,
        8,
        "Centro, Jacaúna, Camará, Patacas, Justiniano de Serpa, Tapera, Porto das Dunas, Prainha, Iguape, "
        "Caponga da Bernarda, João de Castro, Assis Teixeira",
    ),
    "Aracati": (
        75_100,
        30,
        "Centro, Pedregal, Nossa Senhora de Fátima, Várzea da Matriz, Majorlândia, Canoa Quebrada, Cabreiro, "
        "Quixaba, Jirau, Córrego dos Fernandes, Barreira dos Vianas, Santa Tereza, Mata Fresca",
    ),
    "Aracoiaba": (25_600, 40, "Centro, Vazantes, Ideal, Jaguarão, Jenipapeiro, Plácido Martins, Milton Belo"),
    "Ararendá": (11_100, 45, "Centro, Santo Antônio"),
    "Araripe": (19_800, 35, "Centro, Brejinho, Alagoinha, Riacho Grande, Pajeú"),
    "Aratuba": (11_200, 60, "Centro, Pai João"),
    "Arneiroz": (7_400, 40, "Centro, Planalto, Cachoeira de Fora"),
    "Assaré": (21_700, 40, "Centro, Amaro, Aratama, Genezaré"),
    "Aurora": (23_700, 45, "Centro, Ingazeiras, Tipi, Santa Vitória"),
    "Baixio": (5_700, 40, "Centro"),
    "Banabuiú": (17_200, 40, "Centro, Laranjeiras, Rinaré, Sitiá, Pedras Brancas"),
    "Barbalha": (
        75_000,
        20,
        "Centro, Malvinas, Cirolândia, Alto da Alegria, Bela Vista, Santo Antônio, Rosário, Arajara, Estrela, Caldas",
    ),
    "Barreira": (22_400, 50, "Centro, Lagoa do Barro, Córrego"),
    "Barro": (19_400, 35, "Centro, Iara, Cuncas, Brejinho, Monte Alegre, Serrota, Engenho Velho"),
    "Barroquinha": (14_600, 25, "Centro, Bitupitá, Araras"),
    "Baturité": (35_200, 25, "Centro, Putiú, Mondego, São Sebastião, Boa Vista"),
    "Beberibe": (
        53_100,
        45,
        "Centro, Sucatinga, Parajuru, Morro Branco, Paripueira, Itapeim, Forquilha, Serra do Félix",
    ),
    "Bela Cruz": (32_800, 50, "Centro, Prata, Cajueirinho"),
    "Boa Viagem": (50_400, 40, "Centro, Guia, Águas Belas, Domingos da Costa, Ibuaçu, Jacampari, Ipiranga, Boqueirão"),
    "Brejo Santo": (51_100, 30, "Centro, Morro Dourado, São Francisco, Renê Lucena, Araujão, Poço, São Felipe"),
    "Camocim": (62_300, 25, "Centro, Brasília, Boa Esperança, Coqueiros, Cruzeiro, São Pedro, Tijuca, Amarelas, Guriú"),
    "Campos Sales": (25_100, 25, "Centro, Quixariú, Itaguá, Carmelópolis, Barão de Aquiraz, Monte Castelo"),
    "Canindé": (
        74_200,
        30,
        "Centro, Alto Guaramiranga, Santa Luzia, Palestina, Bela Vista, Campinas, Imaculada Conceição, Caiçara, "
        "Targinos, Bonito, Campos, Esperança, Monte Alegre, Iguaçu, Salitre, Ipueiras dos Gomes",
    ),
    "Capistrano": (17_300, 55, "Centro"),
    "Caridade": (15_800, 35, "Centro, Campos Belos, Inhuporanga, São Domingos"),
    "Cariré": (17_600, 45, "Centro, Jucá, Tapuio, Cacimbas, Arariús"),
    "Caririaçu": (26_300, 40, "Centro, Feitosa, Miragem, Miguel Xavier"),
    "Cariús": (17_000, 45, "Centro, Caipu, São Sebastião, São Bartolomeu"),
    "Carnaubal": (17_200, 45, "Centro"),
    "Cascavel": (72_700, 12, "Centro, Caponga, Rio Novo, Guanacés, Pitombeiras, Jacarecoara, Cristais, Barra Nova"),
    "Catarina": (10_200, 45, "Centro"),
    "Catunda": (10_400, 45, "Centro"),
    "Caucaia": (
        355_700,
        8,
        "Jurema, Centro, Araturi, Parque Potira, Nova Metrópole, Tabapuá, Icaraí, Parque Soledade, Itambé, "
        "Arianópolis, Parque Guadalajara, Parque Albano, Marechal Rondon, Capuan, Parque das Nações, São Miguel, "
        "Padre Júlio Maria, Planalto Caucaia, Cumbuco, Cigana, Tabuba, Pacheco, Iparana, Camurupim, Sítios Novos, "
        "Catuana, Guararu, Mirambé, Bom Princípio, Tucunduba",
    ),
    "Cedro": (22_300, 35, "Centro, Várzea da Conceição, Santo Antônio, Lagedo, São Miguel"),
    "Chaval": (12_500, 25, "Centro, Passagem"),
    "Choró": (12_100, 55, "Centro, Caiçarinha, Barbada, Maravilha, Monte Castelo"),
    "Chorozinho": (20_300, 35, "Centro, Triângulo, Timbaúba dos Marinheiros, Patos dos Liberatos, Cedro"),
    "Coreaú": (21_000, 30, "Centro, Ubaúna, Araquém, Aroeiras"),
    "Crateús": (
        76_400,
        25,
        "Centro, São Vicente, Venâncios, Fátima I, Fátima II, São José, Cidade Nova, Altamira, Planalto, Ipase, "
        "Cajás, Realejo, Ibiapaba, Montenebo, Santo Antônio, Tucuns, Poti, Oiticica, Assis, Irapuá, Curral Velho",
    ),
    "Crato": (
        131_100,
        15,
        "Seminário, Muriti, Centro, Vila Alta, São Miguel, Pinto Madeira, Alto da Penha, Mirandão, "
        "Zacarias Gonçalves, Pimenta, Sossego, Parque Recreio, Santa Luzia, Novo Crato, Ossean Araripe, Lameiro, "
        "Granjeiro, Palmeiral, Ponta da Serra, Dom Quintino, Monte Alverne, Santa Fé, Campo Alegre, Belmonte, "
        "Baixio das Palmeiras",
    ),
    "Croatá": (17_500, 40, "Centro, Santa Tereza, São Roque, Betânia, Barra do Sotero"),
    "Cruz": (29_800, 45, "Centro, Caiçara, Preá"),
    "Deputado Irapuan Pinheiro": (8_900, 50, "Centro, Betânia, Aurora, Baixio, Maratoan"),
    "Ererê": (6_500, 45, "Centro, Tomé Vieira, São João"),
    "Eusébio": (
        74_200,
        0,
        "Centro, Mangabeira, Tamatanduba, Parque Hawaí, Pires Façanha, Amador, Guaribas, Jabuti, Autódromo, "
        "Urucunema, Coaçu, Olho d'Água, Precabura, Santo Antônio, Timbu, Lagoinha, Cidade Nova",
    ),
    "Farias Brito": (18_200, 45, "Centro, Quincuncá, Cariutaba, Nova Betânia"),
    "Forquilha": (24_200, 25, "Centro, Trapiá, Salgado dos Mendes"),
    "Fortim": (17_300, 25, "Centro, Pontal do Maceió, Viçosa, Barra, Campestre, Guajiru"),
    "Frecheirinha": (14_000, 35, "Centro, Campestre"),
    "General Sampaio": (6_700, 40, "Centro"),
    "Graça": (13_800, 55, "Centro"),
    "Granja": (53_300, 40, "Centro, Parazinho, Timonha, Adrianópolis, Ibuguaçu, Pessoa Anta, Sambaíba"),
    "Granjeiro": (4_800, 60, "Centro"),
    "Groaíras": (10_900, 30, "Centro, Itamaracá"),
    "Guaiúba": (24_300, 20, "Centro, Água Verde, Itacima, Baú, Dourado, Núcleo Colonial Pio XII"),
    "Guaraciaba do Norte": (
        42_100,
        45,
        "Centro, Sussuanha, Martinslândia, Mucambo, Morrinhos Novos, Várzea dos Espinhos",
    ),
    "Guaramiranga": (5_700, 30, "Centro, Pernambuquinho"),
    "Hidrolândia": (17_900, 35, "Centro, Irajá, Betânia, Conceição"),
    "Horizonte": (
        74_800,
        6,
        "Centro, Diadema, Zumbi, Mal Cozinhado, Buenos Aires, Planalto Horizonte, Catolé, Gameleira, Dourado, "
        "Aningas, Queimadas, Alto Alegre",
    ),
    "Ibaretama": (12_000, 60, "Centro, Piranji, Nova Vida, Oiticica, Pedra e Cal"),
    "Ibiapina": (24_000, 50, "Centro, Alto Lindo, Santo Antônio da Pindoba"),
    "Ibicuitinga": (11_600, 45, "Centro, Açude dos Pinheiros, Viçosa"),
    "Icapuí": (21_400, 55, "Centro, Ibicuitaba, Manibu, Redonda"),
    "Icó": (62_600, 45, "Centro, Lima Campos, Icozinho, São Vicente, Pedrinhas, Cruzeirinho"),
    "Iguatu": (
        98_100,
        18,
        "Centro, Areias, Cocobó, Vila Neuma, Santo Antônio, Prado, Veneza, Flores, Planalto, João Paulo II, "
        "Esplanada, Brasília, Paraná, Chapadinha, Bugi, Cohab, Novo Altiplano, Tabuleiro, José de Alencar, "
        "Suassurana, Barro Alto, Riacho Vermelho, Gadelha, Baú, Barreiras",
    ),
    "Independência": (24_000, 45, "Centro, Iapi, Ematuba, Tranqueiras, Jandrangoeira, Monte Sinai"),
    "Ipaporanga": (11_600, 55, "Centro, Sacramento"),
    "Ipaumirim": (12_100, 35, "Centro, Felizardo, Canaúna"),
    "Ipu": (41_100, 30, "Centro, Flores, Abílio Martins, Várzea do Jiló, Ingazeiras, Recanto"),
    "Ipueiras": (36_800, 45, "Centro, Nova Fátima, América, Livramento, Engenheiro João Tomé, Matriz, Gázea, Alazans"),
    "Iracema": (14_200, 30, "Centro, São José, Ema, Bastiões"),
    "Irauçuba": (23_900, 30, "Centro, Juá, Missi, Boa Vista do Caxitoré"),
    "Itaiçaba": (7_500, 40, "Centro"),
    "Itaitinga": (64_700, 3, "Centro, Parque Genezaré, Gereraú, Jabuti, Ancuri, Ponta da Serra, Pedras"),
    "Itapajé": (46_400, 25, "Centro, Cruz, São Tomé, Iratinga, Santa Cruz, Soledade, Pitombeira, Aguaí, Baixa Grande"),
    "Itapipoca": (
        131_100,
        35,
        "Centro, Violete, Coqueiro, Cruzeiro, Fazendinha, Boa Vista, Picos, Urbano Teixeira, Júlio II, Ladeira, "
        "Nova Aldeota, Mourão, Jenipapo, Madalenas, Estação, Marinheiros, Arapari, Assunção, Barrento, Deserto, "
        "Baleia, Betânia, Cruxati, Bela Vista, Calugi, Ipu Mazagão, Lagoa das Mercês",
    ),
    "Itapiúna": (17_800, 45, "Centro, Caio Prado, Palmatória, Itans"),
    "Itarema": (43_000, 50, "Centro, Almofala, Carvoeiro"),
    "Itatira": (20_400, 40, "Centro, Lagoa do Mato, Cachoeira, Bandeira, Morro Branco"),
    "Jaguaretama": (17_300, 45, "Centro"),
    "Jaguaribara": (10_400, 30, "Centro, Poço Comprido"),
    "Jaguaribe": (33_700, 30, "Centro, Feiticeiro, Nova Floresta, Mapuá, Aquinópolis"),
    "Jaguaruana": (31_700, 35, "Centro, Borges, Giqui, São José, Santa Luzia, Saquinho"),
    "Jardim": (27_400, 55, "Centro, Jardimirim, Corrente"),
    "Jati": (7_900, 40, "Centro, Carnaúba"),
    "Jijoca de Jericoacoara": (25_600, 35, "Centro, Vila de Jericoacoara"),
    "Juazeiro do Norte": (
        286_100,
        3,
        "Frei Damião, Pirajá, João Cabral, Franciscanos, Aeroporto, Romeirão, Triângulo, São José, Salesianos, "
        "Tiradentes, Limoeiro, Pio XII, Timbaúbas, Santa Tereza, São Miguel, Centro, José Geraldo da Cruz, "
        "Lagoa Seca, Betolândia, Antônio Vieira, Jardim Gonzaga, Campo Alegre, Novo Juazeiro, Socorro, Planalto, "
        "Pedrinhas, Leandro Bezerra, Vila Três Marias, Vila Fátima, Santo Antônio, Cidade Universitária, Brejo Seco, "
        "Horto, Carité, Juvêncio Santana, Fátima, Padre Cícero, Marrocos",
    ),
    "Jucás": (23_900, 35, "Centro, São Pedro do Norte, Mel, Canafístula, Poço Grande, Baixio da Donana"),
    "Lavras da Mangabeira": (30_800, 40, "Centro, Quitaiús, Mangabeira, Amaniutuba, Arrojado, Iborepi"),
    "Limoeiro do Norte": (
        59_600,
        35,
        "Centro, Luís Alves de Freitas, Santa Luzia, Bom Nome, João XXIII, Antônio Holanda, José Simões, Boa Fé, "
        "Pitombeira, Cidade Alta, Monsenhor Otávio, Bixopá",
    ),
    "Madalena": (16_900, 45, "Centro, Macaoca, União, Cajazeiras, Cacimba Nova"),
    "Maracanaú": (
        234_500,
        0,
        "Pajuçara, Jereissati I, Jereissati II, Industrial, Timbó, Acaracuzinho, Novo Maracanaú, Alto Alegre, "
        "Piratininga, Novo Oriente, Siqueira, Mucunã, Centro, Jardim Bandeirante, Luzardo Viana, Alto da Mangueira, "
        "Coqueiral, Parque Tijuca, Boa Esperança, Antônio Justa, Cidade Nova, Jari, Cágado, Furna da Onça, Horto, "
        "Olho d'Água, Vila Buriti, Maracananzinho",
    ),
    "Maranguape": (
        105_100,
        15,
        "Centro, Novo Maranguape, Outra Banda, Parque Santa Fé, Novo Parque Iracema, Parque Iracema, Guabiraba, "
        "Parque São João, Sapupara, Amanari, Itapebussu, Tanques, Penedo, Ladeira Grande, Cachoeira, Lages, Jubaia, "
        "Umarizeiras, Papara, Antônio Marques, Manoel Guedes, São João do Amanari, Lagoa do Juvenal",
    ),
    "Marco": (25_800, 30, "Centro, Panacuí, Mocambo"),
    "Martinópole": (10_800, 20, "Centro"),
    "Massapê": (37_700, 25, "Centro, Ipaguassu, Mumbaba, Padre Linhares, Tuína, Tangente, Aiuá"),
    "Mauriti": (45_600, 40, "Centro, Palestina do Cariri, Umburanas, São Miguel, Buritizinho, Coité, Anauá, Mararupá"),
    "Meruoca": (15_100, 40, "Centro, Palestina do Norte, Camilos, Anil, Santo Antônio dos Fernandes"),
    "Milagres": (25_900, 45, "Centro, Podimirim"),
    "Milhã": (14_200, 45, "Centro, Carnaubinha, Monte Grave"),
    "Miraíma": (13_500, 40, "Centro, Brotas"),
    "Missão Velha": (36_800, 45, "Centro, Jamacaru, Quimami, Missão Nova, Gameleira de São Sebastião"),
    "Mombaça": (37_700, 45, "Centro, São Gonçalo, Carnaúbas, Catolé, Cipó, Açudinho, Manoel Correia"),
    "Monsenhor Tabosa": (17_100, 40, "Centro, Nossa Senhora do Livramento, Barreiros"),
    "Morada Nova": (
        61_400,
        35,
        "Centro, Girilândia, Vazante, Aruaru, Uiraponga, Roldão, Boa Água, Pedras, Lagoa Grande, Juazeiro de Baixo",
    ),
    "Moraújo": (8_300, 45, "Centro, Várzea da Volta, Boa Esperança"),
    "Morrinhos": (22_800, 45, "Centro, Sítio Alegre"),
    "Mucambo": (14_000, 35, "Centro, Carqueijo"),
    "Mulungu": (10_600, 55, "Centro"),
    "Nova Olinda": (15_400, 30, "Centro, Triunfo"),
    "Nova Russas": (30_700, 25, "Centro, Nova Betânia, Canindezinho, São Pedro, Major Simplício"),
    "Novo Oriente": (27_500, 45, "Centro, Palestina, Três Irmãos, Santa Maria, São Raimundo"),
    "Ocara": (24_500, 55, "Centro, Curupira, Novo Horizonte, Sereno de Cima, Serragem, Arisco dos Marianos"),
    "Orós": (19_700, 20, "Centro, Guassussê, Igarói, Palestina, Santarém"),
    "Pacajus": (
        71_000,
        15,
        "Centro, Banguê, Croatá, Cruz das Almas, Buriti, Pedra Branca, Aldeia Park, Pascoal, Itaipaba",
    ),
    "Pacatuba": (81_500, 10, "Jereissati III, Centro, Pavuna, Senador Carlos Jereissati, Monguba, Alvorada"),
    "Pacoti": (11_200, 50, "Centro, Colina, Santa Ana, Fátima"),
    "Pacujá": (6_200, 35, "Centro"),
    "Palhano": (9_400, 45, "Centro, São José"),
    "Palmácia": (10_200, 50, "Centro, Gado, Basílio"),
    "Paracuru": (39_000, 30, "Centro, Jardim, Poço Doce"),
    "Paraipaba": (32_200, 45, "Centro, Lagoinha, Camboas, Boa Vista"),
    "Parambu": (31_400, 45, "Centro, Monte Sion, Novo Assis, Oiticica, Miranda, Cococi"),
    "Paramoti": (10_400, 45, "Centro"),
    "Pedra Branca": (40_200, 35, "Centro, Mineirolândia, Tróia, Santa Cruz do Banabuiú, Capitão Mor"),
    "Penaforte": (9_000, 20, "Centro, Santo André, Juá"),
    "Pentecoste": (37_800, 35, "Centro, Sebastião de Abreu, Matias, Porfírio Sampaio"),
    "Pereiro": (15_300, 55, "Centro, Crioulos"),
    "Pindoretama": (23_400, 30, "Centro, Capim de Roça, Pratiús, Caponguinha, Ema"),
    "Piquet Carneiro": (16_600, 45, "Centro, Ibicuã, Mulungu, Catolé da Pista"),
    "Pires Ferreira": (10_600, 50, "Centro, Otavilândia, Santo Izidro, Delmiro Gouveia"),
    "Poranga": (12_100, 30, "Centro, Macambira, Buritizal, Cachoeira Grande"),
    "Porteiras": (17_100, 55, "Centro, Simão"),
    "Potengi": (8_800, 40, "Centro, Barreiros"),
    "Potiretama": (6_000, 50, "Centro"),
    "Quiterianópolis": (20_200, 60, "Centro, Algodões, São Francisco"),
    "Quixadá": (
        84_200,
        22,
        "Centro, Campo Novo, Alto São Francisco, Campo Velho, Planalto Universitário, Combate, São João, Carrascal, "
        "Planalto Renascer, Putiú, Triângulo, Herval, Jardim dos Monólitos, Baviera, Cipó dos Anjos, Juatama, "
        "Tapuiará, Dom Maurício, Custódio, São João dos Queirozes, Califórnia, São Bernardo, Riacho Verde, "
        "Daniel de Queiroz, Juá",
    ),
    "Quixelô": (16_100, 60, "Centro"),
    "Quixeramobim": (
        82_200,
        32,
        "Centro, Maravilha, Edmilson Correia, Jaime Lopes, Nossa Senhora de Fátima, Monteiro de Morais, Pompéia, "
        "Uruquê, Manituba, Encantado, São Miguel, Lacerda, Nenelândia, Belém, Passagem, Damião Carneiro, Berilândia",
    ),
    "Quixeré": (20_900, 35, "Centro, Lagoinha, Tomé, Água Fria"),
    "Redenção": (27_200, 35, "Centro, Antônio Diogo, Guassi, São Gerardo, Faísca"),
    "Reriutaba": (18_600, 40, "Centro, Amanaiara, Campo Lindo"),
    "Russas": (
        72_900,
        30,
        "Centro, Vila Ramalho, Ypiranga, Nossa Senhora de Fátima, Guanabara, Tabuleiro do Catavento, Várzea Alegre, "
        "Flores, São João de Deus, Bonhu, Peixe, Lagoa Grande",
    ),
    "Saboeiro": (13_900, 40, "Centro, Flamengo, Felipe, Malhada, São José, Barrinha"),
    "Salitre": (16_600, 50, "Centro, Caldeirão, Lagoa dos Crioulos"),
    "Santa Quitéria": (40_200, 40, "Centro, Lisieux, Trapiá, Macaraú, Raimundo Martins, Logradouro, Muribeca"),
    "Santana do Acaraú": (30_600, 40, "Centro, Parapuí, Mutambeiras, João Cordeiro, Sapó"),
    "Santana do Cariri": (
        17_000,
        40,
        "Centro, Araporanga, Dom Leme, Brejo Grande, Anjinhos, Inhumas, Pontal da Santa Cruz",
    ),
    "São Benedito": (47_600, 40, "Centro, Inhuçu, Barreiros"),
    "São Gonçalo do Amarante": (54_000, 25, "Centro, Pecém, Croatá, Taíba, Siupé, Umarituba, Serrote, Cágado"),
    "São João do Jaguaribe": (5_900, 55, "Centro"),
    "São Luís do Curu": (10_800, 35, "Centro"),
    "Senador Pompeu": (24_300, 35, "Centro, Engenheiro José Lopes, Codiá, Bonfim, São Joaquim do Salgado"),
    "Senador Sá": (7_300, 25, "Centro, Serrota, Salão"),
    "Sobral": (
        203_000,
        8,
        "Terrenos Novos, Centro, Sinhá Sabóia, Junco, Cohab II, Dom José, Domingos Olímpio, Sumaré, Padre Palhano, "
        "Cidade Doutor José Euclides Ferreira Gomes Júnior, Alto da Brasília, Campo dos Velhos, Dom Expedito, "
        "Alto do Cristo, Renato Parente, Coração de Jesus, Expectativa, Padre Ibiapina, Tamarindo, Vila União, "
        "Betânia, Derby, Nossa Senhora de Fátima, Distrito Industrial, Jaibaras, Aracatiaçu, Taperuaba, Aprazível, "
        "Jordão, Rafael Arruda, Bonfim, Caracará, Patriarca, São José do Torto, Caioca, Bilheira, Patos",
    ),
    "Solonópole": (18_200, 40, "Centro, Assunção, Cangati, Pasta, São José de Solonópole, Prefeita Suely Pinheiro"),
    "Tabuleiro do Norte": (30_800, 30, "Centro, Olho d'Água da Bica, Peixe Gordo"),
    "Tamboril": (24_800, 40, "Centro, Sucesso, Oliveiras, Boa Esperança, Curatis, Holanda, Carvalho, Açudinho"),
    "Tarrafas": (7_500, 60, "Centro"),
    "Tauá": (
        61_200,
        35,
        "Centro, Aldeota, Alto Brilhante, Alto Nelândia, Bezerra e Sousa, Tauazinho, Planalto dos Colibris, "
        "Santa Teresa, Marrecas, Marruás, Inhamuns, Carrapateiras, Trici, Barra Nova",
    ),
    "Tejuçuoca": (17_200, 50, "Centro, Caxitoré"),
    "Tianguá": (81_500, 30, "Centro, Santo Antônio, Córrego, Caruataí, Tabainha, Pindoguaba, Arapá"),
    "Trairi": (58_400, 50, "Centro, Mundaú, Flecheiras, Canaan, Córrego Fundo, Gualdrapas, Munguba"),
    "Tururu": (15_400, 55, "Centro, Cemoaba, Conceição"),
    "Ubajara": (32_800, 45, "Centro, Araticum, Jaburuna, Nova Veneza"),
    "Umari": (6_900, 45, "Centro, Pio X"),
    "Umirim": (17_500, 35, "Centro, Caxitoré, São Joaquim"),
    "Uruburetama": (20_200, 25, "Centro, Santa Luzia, Itacolomy"),
    "Uruoca": (13_700, 40, "Centro, Campanário, Paracuá"),
    "Varjota": (18_100, 18, "Centro"),
    "Várzea Alegre": (
        39_000,
        32,
        "Centro, Riachinho, Betânia, Sanharol, Juremal, Naraniú, Canindezinho, Calabaça, Ibicatu",
    ),
    "Viçosa do Ceará": (59_700, 55, "Centro, General Tibúrcio, Lambedouro, Quatiguaba, Padre Vieira, Juá dos Vieiras"),
}
"""The other municipalities: residents, percentage of them in the countryside, bairros and districts by size."""

RACES = ("PARDA", "BRANCA", "PRETA", "AMARELA", "INDÍGENA")

_USUAL = {"BRANCA": 230, "PRETA": 58, "AMARELA": 30, "INDÍGENA": 4}  # per thousand; the rest is PARDA

_UNUSUAL = {
    "INDÍGENA": {  # where the Tapeba, Tremembé, Pitaguary, Potyguara, Tabajara, Kanindé and others live
        "Acaraú": 15, "Aquiraz": 15, "Aratuba": 55, "Boa Viagem": 8, "Canindé": 10, "Carnaubal": 12, "Caucaia": 50,
        "Crateús": 40, "Itapipoca": 22, "Itarema": 105, "Maracanaú": 26, "Monsenhor Tabosa": 210, "Novo Oriente": 22,
        "Pacatuba": 22, "Poranga": 150, "Quiterianópolis": 40, "São Benedito": 15, "Tamboril": 45,
    },
    "PRETA": {  # where many quilombola communities are
        "Acarape": 80, "Aquiraz": 75, "Araripe": 75, "Baturité": 75, "Crateús": 80, "Horizonte": 90, "Ipueiras": 75,
        "Novo Oriente": 80, "Ocara": 80, "Pacajus": 80, "Pacujá": 85, "Porteiras": 90, "Potengi": 80,
        "Quiterianópolis": 85, "Redenção": 80, "Salitre": 120, "Tamboril": 80, "Tururu": 95,
    },
    "BRANCA": {  # the capital's well-off bairros, and the valley of the Jaguaribe
        "Aldeota/Fortaleza": 460, "Amadeu Furtado/Fortaleza": 350, "Cambeba/Fortaleza": 360,
        "Cidade dos Funcionários/Fortaleza": 370, "Cocó/Fortaleza": 460, "De Lourdes/Fortaleza": 460,
        "Dionísio Torres/Fortaleza": 440, "Engenheiro Luciano Cavalcante/Fortaleza": 380, "Fátima/Fortaleza": 400,
        "Guararapes/Fortaleza": 450, "Joaquim Távora/Fortaleza": 370, "Meireles/Fortaleza": 470,
        "Mucuripe/Fortaleza": 390, "Papicu/Fortaleza": 370, "Parque Iracema/Fortaleza": 360,
        "Parque Manibura/Fortaleza": 400, "Parquelândia/Fortaleza": 350, "Praia de Iracema/Fortaleza": 370,
        "Salinas/Fortaleza": 370, "Varjota/Fortaleza": 410, "Alto Santo": 320, "Ererê": 330, "Iracema": 320,
        "Jaguaretama": 310, "Jaguaribe": 330, "Limoeiro do Norte": 340, "Morada Nova": 310, "Pereiro": 340,
        "Potiretama": 310, "Russas": 310, "São João do Jaguaribe": 340, "Tabuleiro do Norte": 340,
    },
}  # fmt: skip


def municipalities() -> list[str]:
    """The names of all municipalities, in alphabetical order but for accents.

    >>> len(municipalities())
    184
    """
    return sorted([*OTHERS, "Fortaleza"])


def localities() -> dict[str, int]:
    """Every locality as bairro/city/state, with its residents.

    Outside the capital the bairros' sizes are not given; they fall off with their rank as 1/2, 1/3, 1/4, …

    >>> residents = localities()
    >>> residents["Aldeota/Fortaleza/CE"], residents["Zona Rural/Abaiara/CE"], residents["Centro/Abaiara/CE"]
    (40000, 5000, 3000)
    """
    residents = {f"{bairro}/Fortaleza/CE": count for bairro, count in FORTALEZA.items()}
    for city, (population, rural, names) in OTHERS.items():
        bairros = names.split(", ")
        shares = [10_000 // (rank + 2) for rank in range(len(bairros))]  # integers: the same on every machine
        urban = population * (100 - rural) // 100
        for bairro, share in zip(bairros, shares, strict=True):
            residents[f"{bairro}/{city}/CE"] = urban * share // sum(shares)
        if rural:
            residents[f"Zona Rural/{city}/CE"] = population - urban
    return residents


def race_shares(locality: str) -> list[int]:
    """How many of a thousand people of a locality are of each of `RACES`.

    >>> dict(zip(RACES, race_shares("Almofala/Itarema/CE")))
    {'PARDA': 577, 'BRANCA': 230, 'PRETA': 58, 'AMARELA': 30, 'INDÍGENA': 105}
    """
    place = locality.removesuffix("/CE")
    city = place.rpartition("/")[2]
    shares = {
        race: _UNUSUAL.get(race, {}).get(place, _UNUSUAL.get(race, {}).get(city, usual))
        for race, usual in _USUAL.items()
    }
    return [1000 - sum(shares.values()), *shares.values()]
