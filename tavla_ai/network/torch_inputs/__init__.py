"""The further inputs of a network in torch, one file each; see `network.inputs`. Importing one imports torch."""
