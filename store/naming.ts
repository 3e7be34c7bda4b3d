import type { Table } from 'typeorm';
import { DefaultNamingStrategy, type NamingStrategyInterface } from 'typeorm';

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Readable names instead of hashes, so that migrations can be reviewed against the entities. */
export class ReadableNames extends DefaultNamingStrategy implements NamingStrategyInterface {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName ?? snakeCase(propertyName);
  }

  override primaryKeyName(table: Table | string): string {
    return `pk_${this.getTableName(table)}`;
  }

  override foreignKeyName(table: Table | string, columnNames: string[]): string {
    return `fk_${this.getTableName(table)}_${columnNames.join('_')}`;
  }
}
