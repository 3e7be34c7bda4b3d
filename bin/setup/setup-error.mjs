/** Something the user can mend: what is wrong, and what to do. */
export class SetupError extends Error {
  /**
   * @param {string} message
   * @param {string} remedy
   * @param {number} [exitCode]
   */
  constructor(message, remedy, exitCode = 1) {
    super(message);
    this.remedy = remedy;
    this.exitCode = exitCode;
  }
}
