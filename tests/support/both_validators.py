"""Both validators in one process, the one in Python and the one in C, over golden files and mutants.

``python tests/support/both_validators.py SEED COUNT``: until so many states have reached them. They
must refuse the same states, but for those of forecasters that single precision cannot hold.
"""
import sys, random, re, time, collections, json
from edgeolk.files import live, restore
from edgeolk.files.invariants import check_state, check_name
from edgeolk.files.holds import problem_of
import edgeolk as ek
tally=collections.Counter(); diffs=collections.Counter(); examples={}; sentences=collections.Counter()
NEW=("of the history is out of range","of the pending rows is out of range","a target of the season","a weight of the forecaster","covariances of the forecaster")
def norm(s):
    s=re.sub(r"[-+]?(\d[\d.e+-]*|nan|inf)","#",s)
    return s
def check(config, head, regions, block):
    state=[r for r in regions if live.is_state(r)]
    old=""
    try: check_state(config, live.words_of(head,state,block), live.arrays_of(state,block))
    except ValueError as e: old=str(e)
    new=""
    try:
        check_name(config)
        why=problem_of(config,state,block)
        if why: new="the model is inconsistent: "+why
    except ValueError as e: new=str(e)
    tally["checked"]+=1
    tally["refused" if new else "held"]+=1
    if new: sentences[norm(new)]+=1
    if bool(old)!=bool(new):
        key=(norm(old),norm(new))
        kind="stricter" if new and any(n in new for n in NEW) else "DIFFERENT"
        diffs[(kind,)+key]+=1
        examples.setdefault(key,(old,new,config.name,dict(config.values)))
    elif old and norm(old)!=norm(new):
        tally["other sentence"]+=1
        diffs[("sentence",norm(old),norm(new))]+=1
    if new: raise ValueError(new)
live.check=check
sys.path[:0]=["tests/support"]
def report():
    print(json.dumps(dict(tally),indent=1))
    for k,n in diffs.most_common():
        if k[0]!="sentence": print(n,k)
    print(len(sentences),"sentences")
    for k,e in list(examples.items())[:20]: print(e)
if __name__=="__main__":
    seed,count=int(sys.argv[1]),int(sys.argv[2])
    from golden import CASES, data_of
    from mutations import mutated
    files=tuple(data_of(v,s) for v,s in CASES if len(data_of(v,s))<6000)
    for d in files: ek.Learner._from_block(d)
    print("golden",tally)
    chance=random.Random(seed); t=time.time()
    tried=0
    while tally["checked"]<count+len(files):
        _,data=mutated(files,chance,False)
        tried+=1
        try: restore.from_bytes(bytes(data))
        except ValueError: pass
        if tried%20000==0: print(tried,dict(tally),time.time()-t,flush=True)
    print("tried",tried); report()
