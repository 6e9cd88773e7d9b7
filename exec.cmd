@rem Windows has no `exec`, with which the scripts of package.json begin, so that npm's signals reach the program.
@%*
