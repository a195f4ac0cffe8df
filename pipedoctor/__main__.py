"""`python -m pipedoctor` is `pipedoctor`."""

from pipedoctor.cli import main

if __name__ == "__main__":
    main(prog_name="pipedoctor")
