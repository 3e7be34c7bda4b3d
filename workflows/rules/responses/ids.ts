/**
 * Ids of the Responses API, made from the task's: a response and its task find each other without a
 * look-up, and an item names the response it is in.
 *
 *     task_018f-… <-> resp_018f…     item 3 of it: msg_018f…0003, fc_018f…0003, rs_018f…0003
 */
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

function hexOf(taskId: string): string {
  return taskId.replace(/^task_/, '').replaceAll('-', '');
}

function place(index: number): string {
  return index.toString(16).padStart(4, '0');
}
