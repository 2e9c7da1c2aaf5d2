"""`tavla export`."""

from __future__ import annotations

from pathlib import Path

import click

from tavla_ai.cli._options import json_option
from tavla_ai.cli._printing import print_json


@click.command()
@click.argument("checkpoint", required=False)
@click.option("--out", type=Path, metavar="DIR", help="The folder to write.")
@click.option("--verify", type=Path, metavar="DIR", help="Verify a bundle instead of writing one.")
@json_option
def export(checkpoint: str | None, out: Path | None, verify: Path | None, as_json: bool) -> None:
    """Export a checkpoint as a bundle for game servers, or verify a bundle.

    A bundle is a folder with the network as ONNX, test vectors and a README; it needs no Python. CHECKPOINT is a folder
    or a shipped checkpoint. Writing needs the extra [export], verifying only onnxruntime.

    \b
    Examples:
      tavla export tavla/hard --out bundle
      tavla export --verify bundle
    """
    from tavla_ai.network.export import export_bundle, verify_bundle

    if verify is not None:
        if checkpoint is not None or out is not None:
            raise click.UsageError("--verify takes neither a checkpoint nor --out")
        report = verify_bundle(verify)
        if as_json:
            print_json(report.model_dump(mode="json"))
            return
        worst = max(report.max_outcome_difference, report.max_utility_difference)
        click.echo(
            f"{verify}: sound; {report.num_positions:,} positions agree within {worst:.1e}"
            f" (allowed {report.tolerance:.0e})"
        )
        return
    if checkpoint is None or out is None:
        raise click.UsageError("expected a checkpoint and --out DIR, or --verify DIR")
    manifest = export_bundle(checkpoint, out)
    if as_json:
        print_json(manifest.model_dump(mode="json"))
        return
    click.echo(f"{out}: {len(manifest.files) + 1} files for {manifest.ruleset}, verified")
