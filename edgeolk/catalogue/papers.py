"""Papers that are cited by several algorithms, by the initials of their authors."""

CCG = "Cavallanti, Cesa-Bianchi & Gentile, Machine Learning 2007"
LZH = "Lu, Zhao & Hoi, SDM 2016"
AHP = (
    "Liao, Li, Liao, Hu & Dang, Ahpatron: a new budgeted online kernel learning machine with"
    " tighter mistake bound, AAAI 2024"
)
HK = "He & Kwok, Neural Networks 2014"
ZJC = "Zhang, Jin, Chen, Bu & He, AAAI 2012"
WV = "Wang & Vucetic, AISTATS 2010"
DSS = "Dekel, Shalev-Shwartz & Singer, SIAM J. Computing 2008"
LHW = "Lu, Hoi, Wang, Zhao & Liu, JMLR 2016"
ZH = "Zhao, Wang, Wu, Jin & Hoi, ICML 2012"
CDK = "Crammer, Dekel, Keshet, Shalev-Shwartz & Singer, JMLR 2006"
OKC = "Orabona, Keshet & Caputo, JMLR 2009"
