"""Detects the format of a file by its start, and explains how to convert unsupported ones."""

from __future__ import annotations

import re
from collections.abc import Sequence

from firmware_sim.streams import matrices

_TABLE = "save its table as CSV"
#: Unsupported formats: how such files start, what they are, and how to convert them.
_OTHERS = (
    (rb"\x89HDF", "an HDF5 file", "pandas.read_hdf(FILE).to_csv(...)"),
    (rb"CDF[\x01\x02\x05]", "a netCDF file", "xarray.open_dataset(FILE).to_dataframe()"),
    (rb"SQLite format 3", "an SQLite database", "sqlite3 -header -csv FILE 'select * from TABLE'"),
    (rb"%PDF", "a PDF", _TABLE),
    (rb"PK\x05\x06", "an empty ZIP archive", "put the log into it"),
    (rb"\xd0\xcf\x11\xe0", "an old Excel workbook (.xls)", _TABLE + ", or as .xlsx"),
    (rb"\x89PNG|\xff\xd8\xff|GIF8", "a picture", "give the table it was drawn from"),
    (rb"7z\xbc\xaf", "a 7z archive", "unpack it first"),
    (rb"Rar!", "a RAR archive", "unpack it first"),
    (rb"\x28\xb5\x2f\xfd", "a Zstandard file", "unpack it first: zstd -d FILE"),
    (rb"\x04\x22\x4d\x18", "an LZ4 file", "unpack it first: lz4 -d FILE"),
    (rb".{257}ustar", "a tar archive", "unpack it first: tar xf FILE"),
    (rb"\x93NUMPY", "a single array of numpy", "numpy.savez(path, X=rows, y=labels)"),
    (rb"MATLAB 5\.0 MAT-file", "a MATLAB file", "writetable(TABLE, 'log.csv') in MATLAB"),
    (rb"ARROW1|FEA1", "a Feather or Arrow file", "pandas.read_feather(FILE).to_csv(...)"),
    (rb"Obj\x01", "an Avro file", _TABLE),
    (rb"ORC", "an ORC file", "pandas.read_orc(FILE).to_csv(...)"),
    (rb"\x80[\x02-\x05].*\.|\x80[\x03-\x05]", "a Python pickle", "pandas.read_pickle(FILE)"),
    (rb"\x7fELF|MZ", "a program", "give the log it writes"),
    (rb"\xd4\xc3\xb2\xa1|\xa1\xb2\xc3\xd4", "a network capture", "tshark -T fields"),
    (rb"MDF     ", "a measurement file (MDF)", "asammdf.MDF(FILE).export('csv')"),
    (rb"\s*(<!doctype html|<html)", "a web page", "save the table in it as CSV"),
    (rb"\s*(<\?xml|<[a-z][\w:.-]*( [^>]*)?>\s*<[a-z])", "XML", "pandas.read_xml(FILE).to_csv(...)"),
    (rb"\{\\rtf", "an RTF document", "save it as plain text"),
)  # fmt: skip
_PATTERNS = [
    (re.compile(start, re.DOTALL | re.IGNORECASE), what, remedy) for start, what, remedy in _OTHERS
]
_VOWPAL = re.compile(
    r"-?[\w.]*( [\d.]+)?( '?[\w.]+)?\s*\|\w*(:[\d.]+)? +(?=\S*:)\w[\w.]*(:-?[\d.]+\S*)?( .*)?"
)
_LINE_PROTOCOL = re.compile(
    r"[^\s,=]+(,[^\s,=]+=[^\s,=]+)* [^\s,=]+=(\"[^\"]*\"|[^\s,]+)"
    r"(,[^\s,=]+=(\"[^\"]*\"|[^\s,]+))*( \d{9,19})?"
)
_METER = re.compile(r"100,NEM1[23],")
_SQL = re.compile(r"\s*(insert into|create table|-- \w*sql)", re.IGNORECASE)


def refusal(start: bytes) -> str:
    """Return why a file with this start is not supported, and how to convert it; "" for text.

    Returns: the end of a sentence, such as "a PDF, not a log; save its table as CSV".
    """
    start = start.removeprefix(b"\xef\xbb\xbf")
    for pattern, what, remedy in _PATTERNS:
        if pattern.match(start):
            return f"{what}, not a log; {remedy}"
    return ""


def kind_of(lines: Sequence[str]) -> str:
    """Return the format of a text by its first lines.

    Returns: "table", "json", "arff" or "libsvm", or a sentence (which contains blanks) about an
        unsupported format.
    """
    filled = [line.strip("\ufeff \t\r\n") for line in lines if line.strip("\ufeff \t\r\n")]
    if not filled:
        return "table"
    first = filled[0]
    if any(line.lower().startswith(("@relation", "@attribute")) for line in filled[:50]):
        return "arff"
    if first[0] == "{" or re.match(r"\[\s*([{\[]|-?\d|\"|$)", first):
        return "json"
    if matrices.is_libsvm(first):
        return "libsvm"
    if _mostly(_VOWPAL, filled):
        return (
            "text for Vowpal Wabbit, not a table; write its values as columns of a CSV file, the "
            "label in one of them"
        )
    if _mostly(_LINE_PROTOCOL, filled):
        return (
            "InfluxDB's line protocol, not a table; export it as CSV: influx query ... --raw, or "
            "influx -format csv -execute 'select ...'"
        )
    if _METER.match(first):
        return "a meter's data file (NEM12), a day in each line; nemreader output-csv FILE"
    if _SQL.match(first):
        return "a dump of a database, not a table; export the table as CSV"
    return "table"


def _mostly(pattern: re.Pattern[str], lines: Sequence[str]) -> bool:
    some = lines[:20]
    return 5 * sum(pattern.fullmatch(line[:2_000]) is not None for line in some) > 4 * len(some)
