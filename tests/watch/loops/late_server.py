"""A server that answers late, in a process of its own, for loops that wait for one."""

import os
import socket
import threading


def start_late_server(reply: bytes, seconds: float, request_size: int = 0) -> int:
    """
    The port of 127.0.0.1 at which `reply` comes so many seconds after a connection.

    Up to `request_size` bytes are read first. It ends with the process that started it.
    """
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    if os.fork() == 0:
        parent = os.getppid()
        listener.settimeout(1.0)
        while os.getppid() == parent:
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                continue
            if request_size:
                connection.recv(request_size)
            threading.Timer(seconds, _answer, (connection, reply)).start()
        os._exit(0)
    port: int = listener.getsockname()[1]
    listener.close()
    return port


def _answer(connection: socket.socket, reply: bytes) -> None:
    connection.sendall(reply)
    connection.close()
