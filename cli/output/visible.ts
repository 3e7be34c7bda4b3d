/**
 * Text from elsewhere (model names, errors, answers) made safe for a terminal: control characters
 * could move the cursor, retitle the window or fake output; bidirectional ones reorder what is read.
 */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const CONTROL_BUT_LAYOUT = /(?![\n\t])[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** One line. */
export function visible(text: string): string {
  return text.replace(CONTROL, escape);
}

/** Several lines: line feeds and tabs stay. */
export function visibleText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(CONTROL_BUT_LAYOUT, escape);
}

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
