/** Passes connections to a Unix socket on to a port of loopback: in a namespace, what else only its own processes reach. */
import { connect, createServer } from 'node:net';

const [path = '', port = ''] = process.argv.slice(2);
const server = createServer((client) => {
  const beyond = connect(Number(port), '127.0.0.1');
  client.on('error', () => beyond.destroy());
  beyond.on('error', () => client.destroy());
  client.pipe(beyond).pipe(client);
});
server.listen(path);
