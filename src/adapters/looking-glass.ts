/** An HTTP looking glass that answers as birdwatcher does: `GET /route/net/ADDRESS` gives `{ "routes": [{ "network": … }] }`. */

const limitBytes = 4 * 1024 * 1024;

/**
 * The networks that it has for an address, such as `203.0.113.0/24`; null where it gives no whole answer of that form in
 * time. Nobody's answer is ever taken for an empty list: that is one of `"routes": []` alone.
 */
export async function askLookingGlass(
  url: string,
  address: string,
  timeoutMillis: number,
): Promise<readonly string[] | null> {
  try {
    const answer = await fetch(`${url}/route/net/${address}`, {
      signal: AbortSignal.timeout(timeoutMillis),
      headers: { accept: 'application/json' },
      redirect: 'error',
    });
    const text = await limitedText(answer);
    return answer.ok && text !== null ? networksIn(JSON.parse(text)) : null;
  } catch {
    // Unreachable, too slow, cut off, no JSON: it is not known then, and asked again.
    return null;
  }
}

async function limitedText(answer: Response): Promise<string | null> {
  if (answer.body === null) return null;
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const chunk of answer.body) {
    bytes += chunk.length;
    if (bytes > limitBytes) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}

function networksIn(value: unknown): readonly string[] | null {
  if (typeof value !== 'object' || value === null || !('routes' in value)) return null;
  const { routes } = value;
  if (!Array.isArray(routes)) return null;
  const networks = routes.map((route: unknown) =>
    typeof route === 'object' && route !== null && 'network' in route ? route.network : null,
  );
  return networks.every((network) => typeof network === 'string') ? networks : null;
}
