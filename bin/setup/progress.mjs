// One line per step. A terminal sees it move; a log gets plain lines, and a sign of life now and then.
const SIGN_OF_LIFE_MS = 20_000;
const FRAME_MS = 120;
const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';

/**
 * Runs `work` as a step that is shown. `work` may tell how far it is.
 * @template T
 * @param {string} title what is being waited for
 * @param {(tell: (detail: string) => void) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(title, work) {
  const line = process.stderr.isTTY ? terminalLine(title) : plainLine(title);
  const startedAt = Date.now();
  try {
    const result = await work(line.tell);
    line.end(`✓ ${title} (${elapsed(startedAt)})`);
    return result;
  } catch (error) {
    line.end(`✗ ${title} (${elapsed(startedAt)})`);
    throw error;
  }
}

/** @param {string} text something worth knowing that is not a step */
export function note(text) {
  process.stderr.write(`• ${text}\n`);
}

/** @param {string} title */
function terminalLine(title) {
  let detail = '';
  let frame = 0;
  const startedAt = Date.now();
  const draw = () => {
    frame = (frame + 1) % FRAMES.length;
    const text = `${FRAMES[frame]} ${title} … ${elapsed(startedAt)}${detail && `, ${detail}`}`;
    process.stderr.write(`\r\x1b[2K${text.slice(0, (process.stderr.columns || 80) - 1)}`);
  };
  const timer = setInterval(draw, FRAME_MS);
  return {
    tell: (/** @type {string} */ text) => void (detail = text),
    end(/** @type {string} */ text) {
      clearInterval(timer);
      process.stderr.write(`\r\x1b[2K${text}\n`);
    },
  };
}

/** @param {string} title */
function plainLine(title) {
  let detail = '';
  const startedAt = Date.now();
  process.stderr.write(`→ ${title} …\n`);
  const timer = setInterval(
    () => process.stderr.write(`  … ${elapsed(startedAt)}${detail && `, ${detail}`}\n`),
    SIGN_OF_LIFE_MS,
  );
  return {
    tell: (/** @type {string} */ text) => void (detail = text),
    end(/** @type {string} */ text) {
      clearInterval(timer);
      process.stderr.write(`${text}\n`);
    },
  };
}

/** @param {number} since */
function elapsed(since) {
  const seconds = (Date.now() - since) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  return seconds < 60 ? `${Math.round(seconds)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
