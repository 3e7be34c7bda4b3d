/** `input` of a Responses request, judged by plain loops: it can hold thousands of items (S35, S52). */
import { bulkArray, isObject, isTypedParts, type Report } from '../bulk-checks';

const MAX_ITEMS = 65_536;

/** By type of item: the members that must be text. Items of other types are the backend's to judge. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  function_call: ['call_id', 'name', 'arguments'],
  function_call_output: ['call_id'],
  item_reference: ['id'],
};

export const inputItems = bulkArray('input items', (items, report) => {
  if (items.length > MAX_ITEMS) return report('custom', [], `at most ${MAX_ITEMS} items`);
  for (const [index, item] of items.entries()) if (!isItem(item, index, report)) return;
});

function isItem(item: unknown, index: number, report: Report): boolean {
  if (!isObject(item)) return fault(report, [index], 'expected an object');
  const type = item['type'] ?? 'message';
  if (typeof type !== 'string') return fault(report, [index, 'type'], 'expected a string');
  if (type === 'message') {
    if (typeof item['role'] !== 'string') return fault(report, [index, 'role'], 'expected a string');
    return isTypedParts(item['content'], [index, 'content'], report);
  }
  const wrong = (TEXTS[type] ?? []).find((member) => typeof item[member] !== 'string');
  if (wrong !== undefined) return fault(report, [index, wrong], 'expected a string');
  return type === 'function_call_output' ? isTypedParts(item['output'], [index, 'output'], report) : true;
}

function fault(report: Report, path: (string | number)[], message: string): false {
  report('invalid_type', path, message);
  return false;
}
