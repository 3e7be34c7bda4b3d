/**
 * Task ids: UUIDv7 (RFC 9562), so that they sort by time of acceptance and index well. The same id
 * is the Temporal workflow's.
 */
import { randomBytes } from 'node:crypto';

export function newTaskId(now: number = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `task_${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
