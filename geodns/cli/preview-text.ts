/** Whom a change of rules would move, as lines. */
import type { GeoDnsPreview } from '../../src/types/wire/geodns-answers.ts';
import { percent } from './output.ts';

/** `does`: the command that does it. */
export function previewLines(preview: GeoDnsPreview, does: string): readonly string[] {
  if (!preview.ok) return preview.problems;
  const { moved, degraded } = preview;
  const by = {
    databases: 'size of networks',
    statistics: 'what users asked',
    nothing: 'nothing: no database',
  };
  return [
    `${percent(moved.share)} of users would be answered otherwise (by ${by[moved.by]})`,
    ...moved.policies
      .filter(({ share }) => share > 0)
      .flatMap(({ policy, family, share, largest }) => [
        `${policy} IPv${family}: ${percent(share)}`,
        ...largest.map(
          (one) =>
            `  ${percent(one.share)} AS${one.asn ?? '?'} ${one.network ?? 'unknown'} ${one.country ?? '?'}: ${one.from ?? '-'} -> ${one.to ?? '-'}`,
        ),
      ]),
    ...(moved.names.removed.length === 0 ? [] : [`names that go: ${moved.names.removed.join(', ')}`]),
    ...(moved.names.added.length === 0 ? [] : [`new names: ${moved.names.added.join(', ')}`]),
    ...(degraded === 0 ? [] : [`${degraded} answers would be below normal`]),
    `nothing was changed; \`${does}\` does it`,
  ];
}
