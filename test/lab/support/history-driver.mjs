/**
 * Appends entries to a log of small files as fast as the disk takes them, and says each id when it is on the disk.
 * Usage: node history-driver.mjs DIST-FOLDER FOLDER
 */
const [dist, folder] = process.argv.slice(2);
const { openSegments } = await import(`${dist}/src/store/segments.js`);
const { log, latest } = await openSegments(folder, 'history', {
  segmentBytes: 2000,
  segmentEntries: 40,
  segments: 100_000,
});
let id = latest.at(-1)?.id ?? 0;
process.stdout.write('ready\n');
for (;;) {
  const count = 1 + (id % 7);
  const entries = Array.from({ length: count }, (_, index) => ({ id: id + 1 + index, text: 'x'.repeat(100) }));
  await log.append(entries);
  id += count;
  process.stdout.write(`${id}\n`);
}
