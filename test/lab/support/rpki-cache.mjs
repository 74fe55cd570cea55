// A cache of validated route origins that speaks RTR (RFC 6810, RFC 8210): one route origin for each argument after
// address and port, such as 1.0.0.0/24-24=64511 (prefix, longest length, AS number).
import { createServer } from 'node:net';

const [address, port, ...origins] = process.argv.slice(2);

createServer((socket) => {
  let waiting = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('data', (data) => {
    waiting = Buffer.concat([waiting, data]);
    while (waiting.length >= 8 && waiting.length >= waiting.readUInt32BE(4)) {
      const [version, type] = waiting;
      waiting = waiting.subarray(waiting.readUInt32BE(4));
      // Serial Query and Reset Query; a newer version than ours is answered in ours.
      if (type === 1 || type === 2) socket.write(answer(Math.min(version, 1), type === 2));
    }
  });
}).listen(Number(port), address, () => process.stdout.write('listening\n'));

function answer(version, whole) {
  const prefixes = whole ? origins.map((origin) => prefixPdu(version, origin)) : [];
  return Buffer.concat([pdu(version, 3, Buffer.alloc(0)), ...prefixes, endOfData(version)]);
}

function prefixPdu(version, origin) {
  const [, prefix, length, most, asn] = /^([\d.]+)\/(\d+)-(\d+)=(\d+)$/.exec(origin);
  const body = Buffer.alloc(12);
  body.set([1, Number(length), Number(most), 0, ...prefix.split('.').map(Number)]);
  body.writeUInt32BE(Number(asn), 8);
  return pdu(version, 4, body, 0);
}

function endOfData(version) {
  const body = Buffer.alloc(version === 0 ? 4 : 16);
  body.writeUInt32BE(1, 0);
  if (version > 0) for (const [index, seconds] of [3600, 600, 7200].entries()) body.writeUInt32BE(seconds, 4 + 4 * index);
  return pdu(version, 7, body);
}

function pdu(version, type, body, session = 1) {
  const head = Buffer.alloc(8);
  head.set([version, type]);
  head.writeUInt16BE(session, 2);
  head.writeUInt32BE(8 + body.length, 4);
  return Buffer.concat([head, body]);
}
