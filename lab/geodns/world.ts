/** A small made-up world for the lab: which address has which ASN and country. Real ASNs, invented addresses. */
import { type MmdbEntry, type MmdbOptions, writeMmdb } from '../../geodns/mmdb/write.ts';

interface Place {
  readonly v4: string;
  readonly v6: string | null;
  readonly asn: number | null;
  readonly organisation?: string;
  readonly country: string | null;
  readonly subdivision?: string;
  readonly continent: string | null;
}

const place = (
  v4: string,
  v6: string | null,
  asn: number | null,
  country: string | null,
  continent: string | null,
  more: { subdivision?: string; organisation?: string } = {},
): Place => ({ v4, v6, asn, country, continent, ...more });

/** `127.…`: resolvers on this machine, for questions without a client subnet. */
export const places: readonly Place[] = [
  place('36.96.0.0/11', '240e:100::/24', 4134, 'CN', 'AS', { subdivision: 'GD', organisation: 'Chinanet' }),
  place('36.64.0.0/11', '240e:200::/24', 4134, 'CN', 'AS', { subdivision: 'GX', organisation: 'Chinanet' }),
  place('61.128.0.0/10', '240e::/24', 4134, 'CN', 'AS', { subdivision: 'SC', organisation: 'Chinanet' }),
  place('202.96.192.0/19', null, 4812, 'CN', 'AS', { subdivision: 'SH' }),
  place('112.64.0.0/11', '2408:8000::/22', 4837, 'CN', 'AS', { subdivision: 'BJ' }),
  place('221.4.0.0/16', null, 17816, 'CN', 'AS', { subdivision: 'GD' }),
  place('120.192.0.0/10', '2409:8000::/20', 9808, 'CN', 'AS'),
  place('120.196.0.0/16', null, 56040, 'CN', 'AS', { subdivision: 'GD' }),
  place('47.96.0.0/12', '2408:4000::/22', 37963, 'CN', 'AS', {
    organisation: 'Hangzhou Alibaba Advertising',
  }),
  place('219.64.0.0/14', null, 4538, 'CN', 'AS'),
  place('42.98.0.0/16', '2404:c800::/32', 4760, 'HK', 'AS'),
  place('58.176.0.0/14', '2404:c000::/32', 9269, 'HK', 'AS'),
  place('60.246.0.0/16', null, 4609, 'MO', 'AS'),
  place('59.112.0.0/13', '2001:b000::/21', 3462, 'TW', 'AS'),
  place('175.136.0.0/13', '2001:d08::/32', 4788, 'MY', 'AS'),
  place('183.171.0.0/16', null, 10030, 'MY', 'AS'),
  place('36.72.0.0/13', '2001:448a::/32', 7713, 'ID', 'AS'),
  place('182.0.0.0/12', null, 23693, 'ID', 'AS'),
  place('100.64.0.0/11', null, null, 'ID', 'AS'),
  place('14.160.0.0/11', '2001:ee0::/32', 45899, 'VN', 'AS'),
  place('116.96.0.0/12', null, 64500, 'VN', 'AS'),
  place('112.198.0.0/16', '2001:4450::/28', 132199, 'PH', 'AS'),
  place('165.21.0.0/16', null, 9506, 'SG', 'AS'),
  place('124.120.0.0/14', null, 7470, 'TH', 'AS'),
  place('86.96.0.0/12', '2001:8f8::/32', 5384, 'AE', 'AS'),
  place('212.77.192.0/19', null, 8781, 'QA', 'AS'),
  place('87.128.0.0/10', '2003::/19', 3320, 'DE', 'EU'),
  place('41.0.0.0/11', '2c0f:fc00::/25', 36994, 'ZA', 'AF'),
  place('73.0.0.0/8', '2601::/20', 7922, 'US', 'NA'),
  place('196.216.0.0/16', null, 64501, null, null),
  place('185.86.0.0/16', null, null, 'EU', 'EU'),
  place('5.62.0.0/16', null, 64502, 'A1', null),
  place('198.51.100.0/24', '2001:db8:beef::/48', 9808, 'CN', 'AS'),
  place('127.210.1.0/24', null, 4134, 'CN', 'AS', { subdivision: 'GD' }),
  place('127.210.2.0/24', null, 9808, 'CN', 'AS'),
  place('127.210.3.0/24', null, 4788, 'MY', 'AS'),
  place('127.210.4.0/24', null, null, 'VN', 'AS'),
  place('127.210.5.0/24', null, 3320, 'DE', 'EU'),
];

const prefixesOf = ({ v4, v6 }: Place): readonly string[] => (v6 === null ? [v4] : [v4, v6]);

export function asnEntries(): readonly MmdbEntry[] {
  return places.flatMap((one) => {
    const { asn, organisation } = one;
    if (asn === null) return [];
    const record = {
      autonomous_system_number: asn,
      autonomous_system_organization: organisation ?? `AS${asn}`,
    };
    return prefixesOf(one).map((prefix) => ({ prefix, record }));
  });
}

export function countryEntries(): readonly MmdbEntry[] {
  return places.flatMap((one) => {
    const record = {
      ...(one.country === null ? {} : { country: { iso_code: one.country } }),
      ...(one.continent === null ? {} : { continent: { code: one.continent } }),
      ...(one.subdivision === undefined ? {} : { subdivisions: [{ iso_code: one.subdivision }] }),
    };
    return prefixesOf(one).map((prefix) => ({ prefix, record }));
  });
}

/** Both databases as bytes, always the same. */
export function worldMmdbs(): { readonly asn: Buffer; readonly country: Buffer } {
  const options = (type: string): MmdbOptions => ({
    type,
    buildEpochSeconds: 1_796_000_000,
    description: 'made-up',
  });
  return {
    asn: writeMmdb(asnEntries(), options('Causeway-Lab-ASN')),
    country: writeMmdb(countryEntries(), options('Causeway-Lab-City')),
  };
}
