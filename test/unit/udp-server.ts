/** A UDP server for tests: it hands each datagram to a handler that may answer. */
import { createSocket } from 'node:dgram';

export interface AddressInfo {
  readonly port: number;
}

export interface UdpServer {
  /** Listens on a free port of that address and gives it. */
  listen(address: string): Promise<number>;
  close(): void;
}

export function createServer(handle: (message: Buffer, reply: (answer: Buffer) => void) => void): UdpServer {
  const socket = createSocket('udp4');
  socket.on('message', (message, from) =>
    handle(message, (answer) => socket.send(answer, from.port, from.address)),
  );
  return {
    listen: async (address) => {
      await new Promise<void>((resolve) => {
        socket.bind(0, address, resolve);
      });
      return socket.address().port;
    },
    close: () => socket.close(),
  };
}
