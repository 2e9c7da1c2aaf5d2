"""Let the three levels and pubeval play each other, and print what each scored and how it is rated."""

from tavla_ai import Arena, Workers, get_ruleset, load_bot, play_tournament

house = get_ruleset("north-sultan")
bots = [load_bot(name, house) for name in ("easy", "medium", "hard", "pubeval")]

# Each of the 100 games of a pairing is played with the same dice as another one, seats swapped.
played = play_tournament(Arena(house, bots, seed=7), games=100, workers=Workers(threads=2))

for pair in played.result.pairings:
    low, high = pair.interval or (float("nan"), float("nan"))
    print(f"{pair.a:8} {pair.b:8} {pair.points_per_game:+.3f} points per game, 95 %: {low:+.3f} to {high:+.3f}")

ratings = played.result.ratings
assert ratings is not None
for player in sorted(ratings.players, key=lambda player: -player.rating):
    print(f"{player.name:8} {player.rating:5.0f} ± {player.standard_error:.0f}")
