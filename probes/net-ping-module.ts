/**
 * The package net-ping as far as it is used; it has no types of its own. It is not installed with us: its raw-socket is
 * compiled on the machine, and does not compile on every Node.
 */

export type PingCallback = (error: Error | null, target: string) => void;

/** A ping that waits. */
export interface PingRequest {
  readonly target: string;
  readonly callback: PingCallback;
}

export interface PingSession {
  /** By sequence number. */
  readonly reqs: Readonly<Record<number, PingRequest>>;
  getSocket(): RawSocket;
  pingHost(target: string, callback: PingCallback): unknown;
  /** Hands a message to the requests that wait; the session hears it by itself unless its listener is taken away. */
  onSocketMessage(message: Buffer, source: string): void;
  /** Called just before the packet is handed to the kernel. */
  onBeforeSocketSend(request: PingRequest): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  close(): unknown;
}

export interface RawSocket {
  setOption(level: number, option: number, value: Buffer, length: number): void;
  removeAllListeners(event: 'message'): unknown;
  on(event: 'message', listener: (message: Buffer, source: string) => void): unknown;
}

export interface PingOptions {
  readonly networkProtocol: 1 | 2;
  readonly sessionId: number;
  readonly packetSize: number;
  readonly retries: number;
  readonly timeout: number;
}

export interface PingModule {
  createSession(options: PingOptions): PingSession;
  readonly Session: { readonly prototype: { setTTL: (ttl: number) => void } };
}

/** Throws an Error that says what to do where it is not there or does not load. */
export async function loadNetPing(): Promise<PingModule> {
  // Not a literal, so that neither the compiler nor a bundler looks for what may be absent.
  const name: string = 'net-ping';
  try {
    const loaded: unknown = await import(name);
    // A CommonJS package: what it exports is the default. Its shape is the one above (1.2.x).
    const { default: module } = loaded as { readonly default: PingModule };
    // On IPv6 it sets another option than the hop limit, and the kernel's own default is what we want on both.
    module.Session.prototype.setTTL = () => undefined;
    return module;
  } catch (error) {
    const text = error instanceof Error ? error.message.split('\n')[0] : String(error);
    const how = 'install it beside causeway (npm install net-ping, with a compiler and Node below 24)';
    throw new Error(
      `policy.probe.engine is net-ping, which does not load (${text}): ${how}, or use icmp-socket`,
      {
        cause: error,
      },
    );
  }
}
