/** The readiness of services in `causeway status`: one line a service that has checks, and one for each check that is not well. */
import type { ServiceStatus, StatusDocument } from '../types/wire/status.ts';

/** `duration` prints seconds as people say them. */
export function serviceTexts(
  { services = [] }: StatusDocument,
  duration: (seconds: number) => string,
): readonly string[] {
  return services.flatMap((service) => (service.checks.length === 0 ? [] : textsOf(service, duration)));
}

function textsOf(service: ServiceStatus, duration: (seconds: number) => string): readonly string[] {
  const { service: name, readiness, sinceSeconds, text, checks } = service;
  const since = sinceSeconds === null ? '' : ` for ${duration(sinceSeconds)}`;
  const odd = checks.filter((check) => check.readiness !== 'ready' || check.counted !== null);
  return [
    `${name}: ${readiness}${since}: ${text}`,
    ...odd.map((check) => {
      const counted = check.counted === null ? '' : `, ${check.counted}`;
      return `    ${check.name}: ${check.readiness}${counted}: ${check.text}`;
    }),
  ];
}
