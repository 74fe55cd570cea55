// Reads npm's bill of the whole tree (CycloneDX) from standard input and prints that of the package: the modules whose
// folders are the arguments. `npm sbom --omit=dev` is not asked: it leaves out what a development package asks for as a
// peer, even where the program needs it too (yaml by vite). What differs from run to run goes, too.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { json } from 'node:stream/consumers';

const bill = await json(process.stdin);
const program = bill.metadata.component;
const shipped = new Set([program['bom-ref'], ...process.argv.slice(2).map(refOf)]);

delete bill.serialNumber;
delete bill.metadata.timestamp;
// npm names it for the folder of the checkout.
program.name = JSON.parse(readFileSync('package.json', 'utf8')).name;
bill.components = bill.components.filter((component) => shipped.has(component['bom-ref']));
bill.dependencies = bill.dependencies
  .filter(({ ref }) => shipped.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => shipped.has(each)) }));

const missing = [...shipped].filter((ref) => !bill.dependencies.some((each) => each.ref === ref));
for (const ref of missing) process.stderr.write(`npm's bill of materials does not name ${ref}, which is in the package\n`);
process.exitCode = missing.length === 0 ? 0 : 1;
process.stdout.write(`${JSON.stringify(bill, null, 1)}\n`);

function refOf(path) {
  const { name, version } = JSON.parse(readFileSync(`${path}/package.json`, 'utf8'));
  return `${name}@${version}`;
}
