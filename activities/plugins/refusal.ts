/** Why an action on a plugin or a package is refused; the API answers with the code's entry of its catalogue. */
export type RefusalCode =
  | 'plugin_not_found'
  | 'plugin_exists'
  | 'plugin_read_only'
  | 'plugin_in_use'
  | 'plugin_busy'
  | 'plugin_not_usable'
  | 'plugin_settings_invalid'
  | 'nothing_to_repair'
  | 'package_not_found'
  | 'package_exists'
  | 'package_in_use'
  | 'package_invalid';

export class PluginRefusal extends Error {
  override readonly name = 'PluginRefusal';

  constructor(
    readonly code: RefusalCode,
    message: string,
    /** The first parameter at fault. */
    readonly param: string | null = null,
  ) {
    super(message);
  }
}
