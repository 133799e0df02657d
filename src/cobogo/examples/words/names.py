"""Names that people in Ceará bear: given names by sex and time of birth, surnames by frequency.

Frequencies are impressions, not counts. The digits after a given name say how common it was among births
around 1930, 1950, 1970, 1990 and 2010: 0 is never, and 6 is eight times as common as 3 (digits are cubed).
The number after a surname is its weight; a small word before it (da, de, dos, …) may be there or not.
"""

from __future__ import annotations

DECADES = (1930, 1940, 1950, 1960, 1970, 1980, 1990, 2000, 2010)
"""Decades of birth; the first holds all earlier years too, the last all later ones."""

PARTICLES = ("da", "das", "de", "do", "dos")

FEMALE = """
Maria 97543, Maria Alice 11115, Maria Aparecida 13420, Maria Auxiliadora 24300, Maria Cecília 11115, Maria Clara 00027,
Maria da Conceição 55410, Maria das Dores 53200, Maria das Graças 35310, Maria de Fátima 16410, Maria de Lourdes 65410,
Maria do Carmo 54310, Maria do Socorro 46510, Maria Eduarda 00047, Maria Eliane 03310, Maria Fernanda 00133,
Maria Gabriela 00023, Maria Helena 24312, Maria Heloísa 00004, Maria Isabel 22223, Maria José 55310, Maria Júlia 00024,
Maria Laura 00003, Maria Lúcia 25420, Maria Luiza 43115, Maria Sophia 00005, Maria Valentina 00003, Maria Vitória 00025,
Ana 43334, Ana Beatriz 00035, Ana Carolina 00242, Ana Cecília 00013, Ana Clara 00026, Ana Cláudia 00430,
Ana Cristina 01420, Ana Júlia 00026, Ana Karoline 00041, Ana Kelly 00230, Ana Lívia 00014, Ana Lúcia 03520,
Ana Luiza 00025, Ana Maria 34420, Ana Paula 00461, Ana Sophia 00004, Ana Vitória 00014,
Francisca 87630, Francisca das Chagas 33200, Antônia 66530, Raimunda 76300, Rita 54320, Rita de Cássia 02421,
Josefa 54210, Luzia 54310, Tereza 54310, Terezinha 46410, Terezinha de Jesus 23100, Sebastiana 43200, Joana 43324,
Rosa 43210, Rosa Maria 13210, Isabel 33323, Cícera 43320, Helena 33225, Luiza 43325, Laura 32125,
Adelaide 32100, Adalgisa 22100, Alaíde 22100, Albertina 21100, Aldenora 23200, Alzira 43100, Amélia 32101,
Angelita 12100, Antonieta 22100, Aparecida 12200, Áurea 22100, Benedita 32100, Carmelita 33100, Cecília 22214,
Celeste 22100, Celina 23201, Clarice 22112, Conceição 33200, Cosma 22200, Creusa 23210, Dalva 23200, Diva 22100,
Doralice 22110, Edite 33100, Elza 34200, Ester 22124, Eunice 34210, Expedita 33200, Geralda 33200, Georgina 21000,
Gertrudes 21000, Hilda 33100, Inácia 32100, Inês 33210, Iracema 34200, Irene 33210, Isaura 32100, Ivone 24200,
Ivonete 13310, Joaquina 32000, Lindalva 24310, Lourdes 33100, Lúcia 24310, Madalena 32200, Margarida 33200,
Marlene 15410, Marta 23320, Nair 32000, Nazaré 22100, Neide 13310, Neusa 13210, Noêmia 22100, Odete 32100, Olga 32100,
Olívia 21103, Quitéria 22100, Regina 13310, Rosália 22100, Salete 13200, Socorro 23200, Vera Lúcia 04420,
Vicência 22000, Zélia 23200, Zenaide 23200, Zeneide 13200, Zilda 22100, Zuleide 23100, Zulmira 22000,
Adriana 01562, Aldenira 12210, Alessandra 00341, Alexsandra 00230, Aline 00262, Andréa 00431, Andreia 00331,
Ângela 13420, Angélica 01231, Auricélia 01220, Aurilene 01320, Bruna 00153, Camila 00163, Carla 00343, Carolina 00133,
Cíntia 00240, Cláudia 02530, Cleide 03320, Cleonice 23210, Cristiane 00450, Cristina 02320, Daiane 00140,
Daniela 00352, Danielle 00253, Débora 00253, Denise 02330, Diana 01232, Edilene 02420, Edileuza 03320, Edna 03420,
Elaine 01341, Eliane 03530, Elisângela 00440, Elizabete 02430, Érica 00353, Fabiana 00452, Fabíola 00231,
Fátima 13310, Fernanda 00363, Flávia 00343, Francilene 01320, Francimeire 01220, Francineide 02320, Gerlane 00230,
Gilda 12210, Gisele 00252, Gláucia 01320, Gleiciane 00141, Iara 01221, Ingrid 00142, Ivoneide 02310, Jacqueline 01341,
Janaína 00353, Jaqueline 00342, Jéssica 00171, Joelma 01330, Josiane 00231, Jucilene 00220, Juliana 00463,
Karina 00252, Karine 00142, Kátia 01430, Keila 00230, Kelly 00242, Larissa 00164, Leidiane 00240, Letícia 00145,
Lidiane 00341, Lígia 02221, Lilian 01231, Luana 00144, Luciana 01551, Lucilene 02420, Luciene 02420, Lucimar 03310,
Luzinete 02310, Márcia 02540, Marcilene 00220, Mariana 01145, Marilene 03310, Marília 02221, Marina 12223,
Michele 00341, Mirian 12210, Mônica 02430, Natália 00154, Nayara 00142, Norma 12210, Patrícia 01562, Paula 01342,
Priscila 00353, Raquel 01343, Rayane 00043, Regiane 00220, Rejane 02320, Renata 00352, Roberta 00232, Rosana 01320,
Rosângela 03530, Roseane 00330, Rosilene 02420, Rosimeire 01320, Sabrina 00143, Samara 00143, Sandra 03530,
Sara 01245, Sheila 00330, Silvana 02430, Sílvia 02430, Simone 01540, Solange 13310, Sônia 13420, Suely 03310,
Suzana 01221, Taís 00132, Tatiana 00441, Tatiane 00342, Thaís 00143, Valdênia 01210, Valdirene 01320, Valéria 01430,
Vanessa 00263, Vânia 02430, Verônica 01330, Viviane 00341,
Ágatha 00003, Alana 00023, Alice 11116, Alícia 00014, Amanda 00155, Antonella 00003, Aurora 21002, Ayla 00003,
Beatriz 11145, Bianca 00134, Catarina 21112, Clara 11124, Eduarda 00023, Elisa 11113, Eloá 00004, Emanuelly 00004,
Emilly 00025, Esther 00013, Evelyn 00024, Gabriela 00155, Geovana 00034, Giovanna 00034, Heloísa 11115, Isabela 00135,
Isabelle 00034, Isadora 11014, Isis 00003, Júlia 11146, Lara 00035, Lavínia 00014, Lívia 00125, Liz 00003,
Lorena 00024, Luna 00003, Maitê 00003, Manuela 00014, Melissa 00024, Milena 00133, Mirella 00013, Nicole 00024,
Pietra 00002, Rafaela 00245, Rebeca 00025, Sofia 00026, Sophia 00025, Stefany 00023, Valentina 00016, Vitória 00036,
Yasmin 00036
"""

MALE = """
José 98642, José Airton 12310, José Augusto 12211, José Carlos 13420, José Edson 02310, José Maria 44310,
José Ribamar 33210, José Roberto 02320, José Wilson 13310, Francisco 88763, Francisco Antônio 12321,
Francisco das Chagas 44420, Francisco de Assis 44421, Francisco Edson 02310, Francisco José 23421,
Antônio 88653, Antônio Carlos 13431, Antônio Edson 01210, Antônio Gabriel 00013, Antônio José 22321,
Antônio Marcos 01330, Raimundo 77410, Raimundo Nonato 44410, João 76546, João Batista 34410, João Carlos 02321,
João Gabriel 00035, João Guilherme 00024, João Lucas 00034, João Miguel 00036, João Paulo 01352, João Pedro 00047,
João Victor 00055, Luiz 55432, Luiz Carlos 02431, Luiz Eduardo 00124, Luiz Felipe 00034, Luiz Fernando 00243,
Luiz Gonzaga 23310, Luiz Henrique 00134, Luís 33222, Pedro 54337, Pedro Henrique 00047, Pedro Lucas 00034,
Paulo 24541, Paulo César 02420, Paulo Henrique 00243, Paulo Roberto 02420, Paulo Sérgio 01430, Carlos 23443,
Carlos Alberto 03420, Carlos André 00121, Carlos Eduardo 01244, Carlos Henrique 00133, Marcos Antônio 01430,
Marcos Vinícius 00144, Marco Aurélio 01221, Davi Lucas 00025, Davi Luiz 00014, Enzo Gabriel 00036,
Manoel 65310, Sebastião 54210, Vicente 44212, Joaquim 43213, Cícero 44320, Expedito 33200, Geraldo 34310,
Gerardo 34310, Miguel 42117, Agostinho 21100, Alcides 22100, Alfredo 22110, Almir 13210, Aluísio 23200, Amadeu 21000,
Armando 22110, Arlindo 22100, Assis 22110, Augusto 22113, Aurélio 12211, Benedito 32100, Bernardo 21105, Clóvis 23210,
Cosme 22210, Damião 22220, Dionísio 21000, Domingos 32100, Edmundo 22100, Eliseu 22111, Elias 22224, Ernesto 21000,
Euclides 22000, Ezequiel 22112, Firmino 21000, Florêncio 21000, Gonçalo 32100, Gregório 21000, Honório 21000,
Humberto 12210, Inácio 32100, Isaías 22112, Ivan 12311, Jacinto 21000, Jaime 12210, Jerônimo 22101,
Joel 12221, Jonas 21122, Josué 22222, Juarez 13200, Juvenal 22000, Laurindo 21000, Leôncio 21000, Lourenço 22101,
Luciano 11441, Manuel 33213, Mário 23311, Martinho 21000, Mateus 21245, Moacir 13200, Moisés 22233, Nelson 13310,
Nilo 12100, Orlando 13210, Osmar 13210, Osvaldo 24210, Otávio 22112, Pio 11000, Quirino 11000, Rafael 21364,
Rubens 12210, Salvador 22100, Samuel 22236, Severino 32100, Silvestre 21000, Simão 21000, Teodoro 21000,
Tomaz 21111, Valdemar 23200, Venâncio 21000, Waldir 13200, Wilson 13310, Zacarias 21000,
Ademar 13210, Ademir 03310, Adriano 01442, Afonso 22110, Ailton 02320, Airton 02311, Alan 00132, Alberto 12310,
Aldemir 02210, Alex 00242, Alexandre 01542, Alisson 00132, Álvaro 11211, Anderson 00353, André 11354, Arnaldo 12210,
César 12322, Charles 00121, Claudemir 01220, Cláudio 02431, Cleiton 00231, Cristiano 00431, Daniel 11355,
Danilo 01243, Denis 00121, Diego 00253, Djalma 12200, Douglas 00132, Edilson 03410, Edinaldo 02310, Edivaldo 02310,
Edmilson 13410, Edson 03420, Eduardo 11345, Elton 00120, Emanuel 11224, Emerson 00231, Erivan 02310, Evandro 12310,
Everton 00131, Fábio 01551, Fabrício 00231, Felipe 01255, Fernando 12443, Flávio 01431, Francinaldo 01320,
Francisval 01210, Franklin 01121, Geovane 00232, Gilberto 03310, Gildásio 01210, Gilmar 02310, Gilson 02310,
Glauber 00220, Guilherme 11146, Gustavo 01246, Hélio 13310, Henrique 11225, Hugo 01123, Igor 00144, Itamar 02210,
Ítalo 00133, Jackson 01230, Jardel 00131, Jean 00232, Jefferson 00242, Jeová 12210, Jocélio 01210, Jonathan 00143,
Jorge 12421, Juliano 00121, Júlio César 01332, Kleber 01220, Leandro 00352, Leonardo 01254, Levi 11115, Lucas 01167,
Luan 00034, Marcelo 01542, Márcio 01531, Marcos 01442, Mardônio 01310, Maurício 02322, Mauro 02310, Michel 00121,
Nonato 12210, Patrick 00121, Reginaldo 02420, Renan 00132, Renato 01332,
Ricardo 01442, Roberto 03421, Robson 01231, Rodrigo 00354, Rogério 01330, Romário 00130, Romildo 02210, Ronaldo 02431,
Rubem 12100, Sandro 00320, Sérgio 02421, Sidney 02220, Silvio 02311, Tarcísio 12310, Thiago 00265, Tiago 00243,
Valdeci 02210, Valdir 02310, Valmir 02310, Vinícius 00145, Vítor 01134, Wagner 01231, Wellington 01331, Wesley 00143,
William 00243, Anthony 00014, Arthur 11137, Benício 11005, Benjamin 11005, Breno 00133, Bruno 00255, Bryan 00014,
Caio 01135, Calebe 00003, Cauã 00035, Davi 11137, Enzo 00025, Gabriel 11157, Gael 00004, Heitor 11016, Isaac 11025,
Kauan 00025, Kauê 00013, Lorenzo 00015, Matheus 00056, Murilo 01014, Nathan 00014, Nicolas 00025, Noah 00003,
Pietro 00004, Ravi 00004, Ryan 00025, Theo 00014, Thomas 00013, Victor 01145, Yuri 00123
"""

SURNAMES = """
da Silva 900, de Sousa 600, de Oliveira 450, de Lima 380, dos Santos 350, da Costa 320, Pereira 300, Ferreira 290,
Rodrigues 290, Alves 270, do Nascimento 260, de Araújo 240, Gomes 220, de Souza 180, Barbosa 150, Ribeiro 150,
Martins 140, Cavalcante 130, Bezerra 130, da Rocha 120, de Carvalho 120, de Freitas 120, Lopes 110, Vieira 110,
Fernandes 100, de Almeida 100, Teixeira 90, Moreira 90, de Castro 90, de Moura 90, Soares 90, Nogueira 85,
Pinheiro 85, Batista 80, Mendes 75, de Melo 75, Gonçalves 75, de Andrade 70, de Holanda 70, de Mesquita 70, Viana 70,
da Cunha 65, Marques 65, Monteiro 65, Dias 60, de Farias 60, Maia 60, de Queiroz 60, Ramos 60, Sales 60,
de Vasconcelos 60, Cordeiro 55, Nunes 55, de Abreu 50, Braga 50, de Brito 50, Feitosa 50, de Matos 50, da Mota 50,
Moraes 45, de Paiva 50, de Paula 50, Pinto 50, Rabelo 45, Sampaio 50, Xavier 50, de Aguiar 45, de Alencar 45,
Barros 45, Barroso 45, Duarte 45, da Conceição 45, Correia 45, Freire 45, Furtado 40, Leite 45, de Macedo 40,
de Menezes 40, de Miranda 40, de Morais 40, dos Reis 40, da Cruz 40, de Sena 35, Cardoso 40, Carneiro 40, Chaves 40,
Evangelista 35, Félix 35, da Fonseca 30, de França 35, Guedes 30, Guimarães 35, Inácio 30, de Jesus 30, Leal 30,
Linhares 35, Magalhães 35, Marinho 35, de Medeiros 35, Muniz 30, Pessoa 35, Pires 30, Pontes 35, Portela 30,
Saraiva 35, Siqueira 35, Tavares 35, Torres 35, do Vale 35, Ximenes 35, de Albuquerque 40, do Amaral 25, Amorim 30,
Aragão 35, Arruda 30, de Assis 30, Azevedo 35, Bandeira 25, Bastos 30, Benevides 15, Benício 12, Bernardo 20,
Bessa 20, do Bonfim 15, Borges 35, Brandão 25, Brasil 20, Cabral 20, Caetano 20, Câmara 20, Camelo 15, Campelo 20,
Campos 30, Cândido 20, Capistrano 12, Catunda 12, das Chagas 25, Cipriano 12, Coelho 30, Colares 15, Coutinho 20,
Crisóstomo 8, Damasceno 25, Dantas 20, Diniz 15, Diógenes 15, Domingos 15, Esmeraldo 8, Estevão 10, Eufrásio 8,
Felipe 15, Fontenele 30, Forte 15, Frota 20, Gadelha 20, Garcia 25, Girão 15, Gondim 15, Gurgel 15, Honorato 15,
Januário 12, Jucá 10, Justino 20, de Lacerda 15, Landim 15, Leandro 15, Leitão 20, de Lemos 15, Lins 10, de Lira 12,
Lourenço 20, de Luna 15, da Luz 15, Maciel 25, Mamede 8, Mariano 20, Matias 20, Mororó 8, Mourão 15, Neri 12,
das Neves 15, Olímpio 10, Pacheco 15, Parente 20, Paulino 20, Peixoto 20, Pimentel 20, Pitombeira 8, da Ponte 15,
do Prado 10, Praciano 8, Rebouças 15, do Rego 12, Ricarte 10, Rios 15, Rolim 15, Rufino 15, de Sá 20, Sabino 15,
Saldanha 15, Salviano 8, de Santana 20, Santiago 25, Serafim 12, Severiano 10, da Silveira 20, Simão 12, Sobreira 10,
Távora 8, Teles 25, Tomaz 20, Trajano 8, Uchôa 20, Valente 10, Vaz 10, Ventura 12, Veras 20, Veríssimo 8, Vidal 25,
Vitorino 20, Arrais 12, Accioly 6, Augusto 15, Cosme 8
"""


def given_names() -> dict[str, list[int]]:
    """Given names, each with its weights among women of every one of `DECADES`, then among men.

    >>> given_names()["Francisca"]
    [1024, 855, 686, 559, 432, 243, 54, 27, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    """
    never = [0] * len(DECADES)
    women = {name: _by_decade(digits) + never for name, digits in _entries(FEMALE)}
    men = {name: never + _by_decade(digits) for name, digits in _entries(MALE)}
    return women | men


def _by_decade(digits: str) -> list[int]:
    known = [int(digit) ** 3 for digit in digits]
    # A decade between two known ones has the mean of both; everything is doubled to stay in integers.
    return [known[i // 2] + known[(i + 1) // 2] for i in range(len(DECADES))]


def surnames() -> list[tuple[str, str, int]]:
    """Surnames as they are borne, the same without a particle, and the weight: three in ten bear theirs with it.

    >>> surnames()[:2]
    [('Silva', 'Silva', 6300), ('da Silva', 'Silva', 2700)]
    """
    borne = []
    for listed, weight in _entries(SURNAMES):
        particle, _, bare = listed.partition(" ")
        if particle in PARTICLES:
            borne += [(bare, bare, 7 * int(weight)), (listed, bare, 3 * int(weight))]
        else:
            borne.append((listed, listed, 10 * int(weight)))
    return borne


def _entries(listed: str) -> list[tuple[str, str]]:
    split = (entry.strip().rpartition(" ") for entry in listed.split(","))
    return [(name, number) for name, _, number in split]
