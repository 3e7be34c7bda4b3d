import { Entity } from 'typeorm';
import { Milliseconds, TextKey } from './columns';

@Entity('setup_tokens')
export class SetupTokenEntity {
  /** SHA-256 of the token, hex. */
  @TextKey() hash!: string;
  @Milliseconds() expiresAt!: number;
}
