"""The vault: random tokens for values, which only the holder of a key with the right role can turn back."""

from cobogo.publish.mask.vault.access import Vault as Vault
from cobogo.publish.mask.vault.session import VaultKey as VaultKey
from cobogo.publish.mask.vault.session import VaultRole as VaultRole
