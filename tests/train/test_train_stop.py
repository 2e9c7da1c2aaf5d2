"""Signals that stop training: the first waits for the round, the second does not."""

from __future__ import annotations

import signal
import threading

import pytest

from train.stop import StopRequest


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_second_signal_stops_at_once(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with StopRequest() as stop:
        assert not stop.is_made
        signal.raise_signal(number)
        assert stop.is_made
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
    assert signal.getsignal(number) is before


def test_outside_the_main_thread_signals_are_the_callers() -> None:
    before = signal.getsignal(signal.SIGINT)
    seen = []

    def listen() -> None:
        with StopRequest() as stop:
            seen.append((stop.is_made, signal.getsignal(signal.SIGINT)))

    thread = threading.Thread(target=listen)
    thread.start()
    thread.join()
    assert seen == [(False, before)]
