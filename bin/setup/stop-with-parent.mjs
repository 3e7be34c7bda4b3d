// Loaded before the server by `npm start`: when the launcher dies, even by SIGKILL, the server stops in good order.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
