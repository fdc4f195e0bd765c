"""One process at a time, in any number of terminals."""
import contextlib
import errno
import fcntl


@contextlib.contextmanager
def only_one(path, waiting):
    """Holds the lock on a file, made if it is not there; calls waiting() if another has it."""
    with open(path, "a", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError as error:
            if error.errno not in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP):
                raise  # else a file system without locks: go on without
        yield
