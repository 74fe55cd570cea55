/** The internet's TCP side: accepts on port 443 of every address, in its own process inside the namespace. */
import { createServer } from 'node:net';

const server = createServer((socket) => {
  socket.on('error', () => socket.destroy());
  socket.setTimeout(5000, () => socket.destroy());
  socket.resume();
});
server.listen({ host: '::', port: 443, backlog: 1024 });
