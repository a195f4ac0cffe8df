"""
How much rarer each pair of letters is in names of code than by chance.

Written by tools/make_letter_pairs.py: a row for each first letter, a column for each second
one. ``a`` stands for -4 bits (16 times as frequent as by chance), each letter behind it for
half a bit more.
"""

LETTER_PAIRS = (
    "gihhnnipjrmfhgphpfgekmomkq",  # a
    "ejhlhlmngiodkmhlnihmgonpio",  # b
    "fnklfnofjrgiloekqijfgnqrmr",  # c
    "flkiclloepqimkhlpjijhooolr",  # d
    "hnhgkjlqntqiifokleegokminr",  # e
    "glkjgelqepsgnlfmqhjigqpnmr",  # f
    "hlllcljhgroilijloegkilopno",  # g
    "emmmdnondqollnfmpilikpnqmq",  # h
    "jkgijkiqpqohhdghrkggrktltj",  # i
    "gljkdmklfmhlllggmkilgllllm",  # j
    "hmjkbkklfongnklknlgklninkq",  # k
    "enmjdnoqespgnoflrojiimqsiq",  # l
    "djmldopqgrolhnffroilimrpjr",  # m
    "gogffjfoiqlmnkglrngekjqror",  # n
    "kjhgolkqlslhhdihteihhljmpq",  # o
    "ellmemnihtpgnogipfigippsht",  # p
    "fjjlkmklkomklkmkkhjlbmmmnn",  # q
    "eojjdljrfvmmijfmrhghkmoukt",  # r
    "jpinenmigtllmohhomgchnoskt",  # s
    "gpjncnqheuqlmpglsfhjjqopiq",  # t
    "igihgjksjrrfhenhtggfpqsptq",  # u
    "dllkbmmnemqnknjmqmlmonnlno",  # v
    "emkkflmidookmhgmpfhmolllpp",  # w
    "hififhmlgnpljmlfpkkennohin",  # x
    "ikjkilmoioojhfjdojgfmlkljk",  # y
    "gmjkbmjkgpolkojmnnklnlkjjg",  # z
)
