"""The vault: random tokens for values, which only the holder of a key with the right role can turn back."""

from cobogo.mask.vault.keys import Key as Key
from cobogo.mask.vault.keys import Role as Role
from cobogo.mask.vault.vault import Vault as Vault
