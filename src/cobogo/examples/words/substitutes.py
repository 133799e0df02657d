"""Lists that fakes are taken from: names, cities and streets of Brazil, and generic ones in English."""

from __future__ import annotations

from functools import cache

from cobogo.examples.words.names import given_names, surnames

BRAZIL, GENERIC = "br", "generic"

_CITIES = """
Aracaju, Barueri, Belém, Belo Horizonte, Betim, Blumenau, Boa Vista, Brasília, Camaçari, Campina Grande,
Campinas, Campo Grande, Canoas, Carapicuíba, Cariacica, Caruaru, Cascavel, Caucaia, Caxias do Sul, Contagem, Crato,
Cuiabá, Curitiba, Diadema, Dourados, Feira de Santana, Florianópolis, Fortaleza, Foz do Iguaçu, Franca, Goiânia,
Governador Valadares, Gravataí, Guarulhos, Ilhéus, Imperatriz, Ipatinga, Itabuna, Itajaí, Jaboatão dos Guararapes,
João Pessoa, Joinville, Juazeiro do Norte, Juiz de Fora, Jundiaí, Limeira, Londrina, Macapá, Maceió, Manaus, Marabá,
Maracanaú, Marília, Maringá, Mauá, Montes Claros, Mossoró, Natal, Niterói, Nova Iguaçu, Novo Hamburgo, Olinda,
Osasco, Palmas, Parnaíba, Paulista, Pelotas, Petrolina, Petrópolis, Piracicaba, Ponta Grossa, Porto Alegre,
Porto Velho, Praia Grande, Recife, Ribeirão Preto, Rio Branco, Rio Claro, Rio de Janeiro, Rio Verde, Rondonópolis,
Salvador, Santa Maria, Santarém, Santo André, Santos, São Bernardo do Campo, São Carlos, São Gonçalo,
São José dos Campos, São Luís, São Paulo, Serra, Sete Lagoas, Sobral, Sorocaba, Sumaré, Taubaté, Teresina, Uberaba,
Uberlândia, Várzea Grande, Vila Velha, Vitória, Vitória da Conquista, Volta Redonda
"""

_STREET_KINDS = "Rua, Rua, Rua, Avenida, Travessa, Alameda"

_STREETS = """
Acácias, Alvorada, Amazonas, Araucárias, Aurora, Bahia, Barão do Rio Branco, Bela Vista, Boa Esperança, Castro Alves,
Ceará, Cedros, Cravos, Da Matriz, Da Paz, Das Flores, Das Palmeiras, Do Comércio, Do Mercado, Do Sol, Dom Pedro II,
Dos Andradas, Dos Ipês, Duque de Caxias, Esperança, Floriano Peixoto, Getúlio Vargas, Goiás, Gonçalves Dias, Hortênsias,
Ipiranga, Jacarandás, Jasmins, José de Alencar, Juscelino Kubitschek, Lírios, Machado de Assis, Marechal Deodoro,
Maranhão, Mato Grosso, Minas Gerais, Monteiro Lobato, Orquídeas, Pará, Paraíba, Paraná, Pernambuco, Piauí, Primavera,
Princesa Isabel, Quinze de Novembro, Rio de Janeiro, Rosas, Rui Barbosa, Santa Luzia, Santo Antônio, Santos Dumont,
São Francisco, São João, São José, São Paulo, São Pedro, Sergipe, Sete de Setembro, Tiradentes, Tocantins,
Treze de Maio, Violetas, Visconde de Mauá
"""

_GENERIC_GIVEN = """
Aaron, Abigail, Adam, Alan, Alice, Amy, Andrew, Anna, Anthony, Arthur, Barbara, Benjamin, Brian, Carol, Catherine,
Charles, Charlotte, Chloe, Christopher, Claire, Daniel, David, Deborah, Dennis, Donna, Dorothy, Douglas, Edward,
Elizabeth, Ella, Emily, Emma, Eric, Evelyn, Frances, Frank, Gary, George, Gloria, Grace, Gregory, Hannah, Harold, Harry,
Heather, Helen, Henry, Isaac, Jack, Jacob, James, Jane, Janet, Jason, Jean, Jennifer, Jeremy, Jessica, Joan, John,
Jonathan, Joseph, Joyce, Judith, Julia, Karen, Keith, Kenneth, Kevin, Laura, Lauren, Leo, Lily, Linda, Louis, Lucy,
Margaret, Mark, Martha, Martin, Mary, Matthew, Megan, Michael, Michelle, Nancy, Nathan, Nicholas, Nicole, Noah, Nora,
Oliver, Olivia, Oscar, Pamela, Patricia, Patrick, Paul, Peter, Philip, Rachel, Ralph, Raymond, Rebecca, Richard, Robert,
Roger, Rose, Roy, Ruth, Ryan, Samuel, Sandra, Sarah, Scott, Sean, Sharon, Simon, Sophie, Stephen, Susan, Theodore,
Thomas, Timothy, Victoria, Vincent, Virginia, Walter, William, Zoe
"""

_GENERIC_SURNAMES = """
Adams, Allen, Anderson, Bailey, Baker, Barnes, Bell, Bennett, Brooks, Brown, Butler, Campbell, Carter, Chapman, Clark,
Collins, Cook, Cooper, Cox, Davies, Davis, Edwards, Ellis, Evans, Fisher, Fletcher, Foster, Fox, Gibson, Graham, Grant,
Gray, Green, Griffiths, Hall, Hamilton, Harris, Harrison, Harvey, Hill, Holmes, Howard, Hughes, Hunt, Hunter, Jackson,
James, Jenkins, Johnson, Jones, Kelly, Kennedy, King, Knight, Lee, Lewis, Lloyd, Marshall, Martin, Mason, Matthews,
Miller, Mills, Mitchell, Moore, Morgan, Morris, Murphy, Murray, Nelson, Owen, Palmer, Parker, Phillips, Porter, Powell,
Price, Reed, Reynolds, Richardson, Roberts, Robinson, Rogers, Ross, Russell, Scott, Shaw, Simpson, Smith, Stevens,
Stewart, Stone, Taylor, Thomas, Thompson, Turner, Walker, Wallace, Ward, Watson, Webb, West, White, Wilkinson, Williams,
Wilson, Wood, Wright, Young
"""

_GENERIC_CITIES = """
Ashford, Bridgeport, Brookfield, Cedar Falls, Centerville, Clayton, Clinton, Dayton, Easton, Fairview, Franklin,
Georgetown, Glendale, Greenville, Hamilton, Hillsboro, Kingston, Lakewood, Lebanon, Lexington, Madison, Manchester,
Marion, Midway, Milford, Milton, Mount Vernon, Newport, Oak Grove, Oakland, Oxford, Plymouth, Richmond, Riverside,
Salem, Shelby, Springfield, Sunnyside, Troy, Union, Walnut Creek, Westfield, Weston, Winchester, Windsor, Woodstock
"""

_GENERIC_STREETS = """
Ash Street, Beech Lane, Bridge Road, Broad Street, Castle Street, Cedar Avenue, Chapel Lane, Cherry Street,
Chestnut Avenue, Church Road, Elm Street, First Avenue, Forest Drive, Grove Road, Hickory Lane, High Street,
Highland Avenue, Hill Road, Jefferson Street, Lake Street, Laurel Lane, Lincoln Avenue, Linden Road, Main Street,
Maple Avenue, Market Street, Meadow Lane, Mill Road, Mulberry Street, North Street, Oak Street, Orchard Road,
Park Avenue, Pine Street, Pleasant Street, Poplar Avenue, Queens Road, Ridge Road, River Road, School Lane,
Second Street, South Street, Spring Street, Station Road, Sunset Drive, Sycamore Lane, The Avenue, Valley Road,
Victoria Road, View Street, Walnut Street, Washington Street, Water Street, West Street, Willow Lane, Windsor Road
"""


def _listed(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(" ".join(word.split()) for word in text.split(",")))


@cache
def words_of(kind: str, place: str) -> tuple[str, ...]:
    """The list for a kind of fake: ``given-name``, ``surname``, ``city`` or ``street``; ``place`` br or generic.

    >>> "Fortaleza" in words_of("city", BRAZIL), len(words_of("surname", GENERIC)) > 100
    (True, True)
    """
    match kind, place:
        case "given-name", "br":
            return tuple(dict.fromkeys(name for name in given_names()))
        case "surname", "br":
            return tuple(dict.fromkeys(bare for _, bare, _ in surnames()))
        case "city", "br":
            return _listed(_CITIES)
        case "street", "br":
            names = _listed(_STREETS)
            return tuple(f"{kind} {name}" for kind in dict.fromkeys(_listed(_STREET_KINDS)) for name in names)
    texts = {
        "given-name": _GENERIC_GIVEN,
        "surname": _GENERIC_SURNAMES,
        "city": _GENERIC_CITIES,
        "street": _GENERIC_STREETS,
    }
    return _listed(texts[kind])
