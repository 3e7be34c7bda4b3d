/** Something that the other protocol can't say, by the parameter that says it. */
export class Untranslatable extends Error {
  constructor(
    readonly param: string,
    message: string,
  ) {
    super(message);
  }
}
