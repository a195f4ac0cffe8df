"""How a file is called when it is imported, as far as its folders tell."""


def derive_module_name(path: str) -> tuple[str, bool]:
    """
    Give the dotted name of a file, and whether it is a package.

    From the outermost folder of PATHS on: whoever imports it by a shorter name
    finds it by the end of the long one.
    """
    parts = [part for part in path.replace("\\", "/").split("/") if part not in {"", "."}]
    last = parts[-1].rpartition(".")[0] if parts else ""
    package = last == "__init__"
    names = parts[:-1] if package else [*parts[:-1], last]
    return ".".join(names) or "__main__", package
