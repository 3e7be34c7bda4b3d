import { z } from 'zod';
import { count, seconds, section, setting } from '../setting';

const receiver = z.string().superRefine((text, context) => {
  const fault = (message: string): void => context.addIssue({ code: 'custom', message });
  if (!URL.canParse(text)) {
    fault('is no URL');
    return;
  }
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') fault('must begin with http:// or https://');
  if (url.username !== '' || url.password !== '') fault('must not hold credentials; SECRET signs what is sent');
});

export const webhook = section('Who is told when a plugin is quarantined or its circuit opens.', {
  URL: setting(receiver.nullable().default(null), {
    description: 'Gets a POST of JSON for each; docs/resilience-and-self-healing.md has its shape. null tells nobody.',
  }),
  SECRET: setting(z.string().min(16, 'must have at least 16 characters').nullable().default(null), {
    description: 'Key of the HMAC-SHA256 that signs each notice, so that the receiver can tell it from a forged one.',
    secret: true,
  }),
  TIMEOUT_SEC: seconds(5, 'How long the receiver may take to answer one try.'),
  TRIES: count(5, 1, 'calls', 'Tries of one notice; the wait between them doubles from RETRY_DELAY_SEC up to 60 s.'),
  RETRY_DELAY_SEC: seconds(2, 'Wait after the first try that failed.'),
});
