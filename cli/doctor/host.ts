/** Checks of this machine that need no settings. */
import { fail, pass, type Finding } from './finding';

/** crypto.argon2, which passwords need. */
const OLDEST_NODE: readonly [number, number] = [24, 7];

export function checkNode(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const enough = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  if (enough) return pass('node', `Node ${version}`);
  const fix = 'Run bin/soai, which uses the Node that came with SoAI; npm run setup installs it.';
  return fail('node', `Node ${version} is older than ${OLDEST_NODE.join('.')}.`, fix);
}
