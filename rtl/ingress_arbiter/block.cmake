# Both policies; oldest first is the slice's.
sluice_rtl_block(ingress_arbiter)
sluice_rtl_block(ingress_arbiter NAME ingress_arbiter_oldest PARAMS OldestFirst=1)
