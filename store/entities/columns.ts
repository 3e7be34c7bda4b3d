/**
 * The column kinds of the schema, the same on SQLite and PostgreSQL: `text`, `integer`, `bigint`
 * for milliseconds, `boolean`, and JSON kept as text. Types are spelled out because decorators see
 * no types under `isolatedModules`.
 */
import { Column, PrimaryColumn, type ColumnOptions, type ValueTransformer } from 'typeorm';

// TypeORM hands bigint columns out as strings, on both databases.
const asNumber: ValueTransformer = {
  to: (value: number | null) => value,
  from: (value: string | number | null) => (value === null ? null : Number(value)),
};

const asJson: ValueTransformer = {
  to: (value: unknown) => (value === null || value === undefined ? null : JSON.stringify(value)),
  from: (value: string | null): unknown => (value === null ? null : JSON.parse(value)),
};

type Nullable = Pick<ColumnOptions, 'nullable'>;

export const TextKey = (): PropertyDecorator => PrimaryColumn({ type: 'text' });
export const IntegerKey = (): PropertyDecorator => PrimaryColumn({ type: 'integer' });
export const Text = (options: Nullable = {}): PropertyDecorator => Column({ type: 'text', ...options });
export const Integer = (options: Nullable = {}): PropertyDecorator => Column({ type: 'integer', ...options });
export const Flag = (): PropertyDecorator => Column({ type: 'boolean' });

/** Milliseconds: a time since the epoch, or a duration. */
export const Milliseconds = (options: Nullable = {}): PropertyDecorator =>
  Column({ type: 'bigint', transformer: asNumber, ...options });

/** A sum that may outgrow 32 bits. */
export const Total = (): PropertyDecorator => Column({ type: 'bigint', transformer: asNumber });

export const Json = (options: Nullable = {}): PropertyDecorator =>
  Column({ type: 'text', transformer: asJson, ...options });
