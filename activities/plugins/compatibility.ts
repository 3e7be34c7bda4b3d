/** F5: may this package run here at all? */
import type { PluginManifest } from '../../plugins/adapter';
import { isInRange } from './version-range';

export interface Installation {
  /** Of SoAI. */
  readonly version: string;
  /** e.g. linux-x64 */
  readonly platform: string;
  /** Of Node. */
  readonly node: string;
}

/** Why not, in words, or null. */
export function incompatibility(
  { requires, platforms, node }: Pick<PluginManifest, 'requires' | 'platforms' | 'node'>,
  here: Installation,
): string | null {
  if (!isInRange(here.version, requires)) return `it needs SoAI ${requires}, and this is ${here.version}`;
  const [system = ''] = here.platform.split('-');
  if (platforms && !platforms.includes(here.platform) && !platforms.includes(system)) {
    return `it runs on ${platforms.join(', ')}, and this is ${here.platform}`;
  }
  if (node !== undefined && !isInRange(here.node, node)) return `it needs Node ${node}, and this is ${here.node}`;
  return null;
}
