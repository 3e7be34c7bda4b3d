/**
 * Ids of the Responses API, made from the task's: a response and its task find each other without a
 * look-up, and an item names the response it is in.
 *
 *     task_018f-… <-> resp_018f…     item 3 of it: msg_018f…0003, fc_018f…0003, rs_018f…0003
 */
const ITEM_ID = /^[a-z]+_([0-9a-f]{32})(i?)([0-9a-f]{4,6})$/;

const PREFIXES: ReadonlyMap<string, string> = new Map([
  ['message', 'msg'],
  ['function_call', 'fc'],
  ['function_call_output', 'fco'],
  ['reasoning', 'rs'],
  ['custom_tool_call', 'ctc'],
  ['web_search_call', 'ws'],
  ['file_search_call', 'fs'],
  ['computer_call', 'cu'],
  ['code_interpreter_call', 'ci'],
  ['image_generation_call', 'ig'],
  ['mcp_call', 'mcp'],
]);

export function responseIdOf(taskId: string): string {
  return `resp_${hexOf(taskId)}`;
}

/** The id of an output item by its place in the output. */
export function outputItemId(taskId: string, type: string, index: number): string {
  return `${PREFIXES.get(type) ?? 'item'}_${hexOf(taskId)}${place(index)}`;
}

/** The id of an input item that came without one. */
export function inputItemId(taskId: string, type: string, index: number): string {
  return `${PREFIXES.get(type) ?? 'item'}_${hexOf(taskId)}i${place(index)}`;
}

/** Where an item of ours is; null: it is none of ours. */
export function placeOf(
  itemId: string,
): { readonly responseId: string; readonly list: 'input' | 'output'; readonly index: number } | null {
  const parts = ITEM_ID.exec(itemId);
  if (!parts) return null;
  const [, hex, mark, index] = parts;
  return { responseId: `resp_${hex}`, list: mark === '' ? 'output' : 'input', index: Number.parseInt(index!, 16) };
}

function hexOf(taskId: string): string {
  return taskId.replace(/^task_/, '').replaceAll('-', '');
}

function place(index: number): string {
  return index.toString(16).padStart(4, '0');
}
