/** Records are plain objects; TypeORM hands out instances of the entities. */
export const plain = <T extends object>(row: T): T => ({ ...row });

export const plainOrNull = <T extends object>(row: T | null): T | null => row && plain(row);
