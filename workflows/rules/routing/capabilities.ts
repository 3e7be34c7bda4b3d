/**
 * Which declared capability serves which need (spec D3, J).
 *
 * | the request needs                          | a model serves it that declares                          |
 * |--------------------------------------------|----------------------------------------------------------|
 * | an operation                               | one it can be asked in (`dialects/spoken-operation.ts`)  |
 * | `tools`, `json_schema`, `reasoning`        | that one                                                 |
 * | anything                                   | nothing at all: unknown, so it may try                   |
 */
import { spokenOperation } from '../dialects/spoken-operation';
import type { Operation } from '../vocabulary';

export type Feature = 'tools' | 'json_schema' | 'reasoning';

/** What a model that declares `declared` lacks of it, or null. */
export function lacking(
  declared: readonly string[],
  operation: Operation,
  features: readonly Feature[],
): Operation | Feature | null {
  if (spokenOperation(operation, declared) === null) return operation;
  if (declared.length === 0) return null;
  return features.find((feature) => !declared.includes(feature)) ?? null;
}
