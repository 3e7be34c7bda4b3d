const { TestEnvironment } = require('jest-environment-jsdom');

/** jsdom's window with Node's own fetch and streams, which every supported browser has and jsdom lacks. */
module.exports = class extends TestEnvironment {
  async setup() {
    await super.setup();
    const {
      AbortController,
      AbortSignal,
      DOMException,
      Headers,
      ReadableStream,
      Response,
      TextDecoder,
      TextEncoder,
      TransformStream,
    } = globalThis;
    Object.assign(this.global, {
      AbortController,
      AbortSignal,
      DOMException,
      Headers,
      ReadableStream,
      Response,
      TextDecoder,
      TextEncoder,
      TransformStream,
      Uint8Array,
    });
    this.global.crypto.randomUUID = () => globalThis.crypto.randomUUID();
  }
};
