"""Anomalies of streams: public boards, labelled streams, injected faults."""
