/**
 * The `Host` header on a loopback port. A page of somebody else whose name suddenly resolves to 127.0.0.1 (DNS rebinding)
 * is of the same origin to the browser; its name gives it away.
 */

/** Whether an address that is listened on can be reached from this machine alone. */
export function isLoopback(host: string): boolean {
  return host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Addresses cannot be rebound, and `localhost` never leaves the machine (RFC 6761 §6.3). */
export function isOwnName(header: string | undefined): boolean {
  if (header === undefined) return false;
  const name = header.replace(/:\d{1,5}$/, '').toLowerCase();
  return name === 'localhost' || /^\d{1,3}(\.\d{1,3}){3}$/.test(name) || /^\[[0-9a-f:.]+\]$/.test(name);
}
