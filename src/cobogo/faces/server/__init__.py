"""The server: data sets, policies, jobs and releases over HTTP, for several people who must not see each other's data.

It has no logic of its own: a request becomes a call of the same functions that the command line calls. What is its own
is who may ask for what (`roles`, `keys`), what is kept between requests (`state`, `files`) and work that
takes longer than a request (`queue`, `worker`).
"""
