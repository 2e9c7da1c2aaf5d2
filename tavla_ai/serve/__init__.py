"""Playing inside other programs: GNU Backgammon's external player over a socket, and UBGI over stdin and stdout.

Each protocol is a class that turns a line into its answer and a function that carries the lines. All of them are of
backgammon, so a bot needs a game whose boards and plays are backgammon's; see `player`.
"""

from tavla_ai.serve.gnubg_external import ExternalPlayer, serve
from tavla_ai.serve.player import Player
from tavla_ai.serve.ubgi import UbgiEngine, run

__all__ = ["ExternalPlayer", "Player", "UbgiEngine", "run", "serve"]
