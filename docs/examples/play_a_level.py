"""Play one game of Easy against Hard, and print each turn."""

import random

from tavla_ai import Position, format_play, get_ruleset, load_bot

house = get_ruleset("oyna-tavla")
bots = [load_bot("easy", house), load_bot("hard", house)]
dice = random.Random(7)
game = dice.getrandbits(32)  # another number makes other errors of Easy

position = Position.start(house)
seat = dice.randrange(2)
turn = 0
while True:
    turn += 1
    roll = (dice.randint(1, 6), dice.randint(1, 6))
    play = bots[seat].choose_play(position, roll, seed=1, game=game)
    text = format_play(position, play.steps, house)
    print(f"{turn:3}  {bots[seat].name}  {roll[0]}{roll[1]}  {text or 'no play'}")
    if play.score is not None:
        break
    # The other player sees the board from the other side.
    position = play.afterstate.swap()
    seat = 1 - seat

print(f"{bots[seat].name} wins {play.score} point{'s' * (play.score > 1)}.")
print(play.afterstate.render(house))
