"""Playing inside other programs: GNU Backgammon's external player over a socket, and UBGI over stdin and stdout.

Each protocol is a class that answers a line, and a function that transports the lines. The protocols are made for
backgammon, so a bot needs a game with its boards and plays; see `player`.
"""

from tavla_ai.serve.gnubg_external import ExternalPlayer, serve
from tavla_ai.serve.player import Player
from tavla_ai.serve.ubgi import UbgiEngine, run

__all__ = ["ExternalPlayer", "Player", "UbgiEngine", "run", "serve"]
